import AppStoreEmulator
import ControlAPI
import Foundation
import HTTPTypes
import SharedFixtures
import StoreModel
import Testing
import WebSupport

@testable import AppStoreEmulatorServer

@Suite("The console's guide to connect an app", .timeLimit(.minutes(30)))
struct ConnectionGuideTests {
  @Test("a store without transactions shows the guide, until the first purchase")
  func empty() async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      let page = try await client.page("/")
      let settings = try #require(page.preformatted["connect-swift"])
      #expect(settings.contains("export OPENSTOREKIT_BUNDLE_ID=\(BakeryServer.app)\n"))
      #expect(try await !client.page("/?customer=nobody").text.contains("Connect your app"))
      try await bakery.order()
      #expect(try await !client.page("/").text.contains("Connect your app"))
    }
  }

  @Test("G1 the lines work as they are copied: curl and Python verify a receipt, and the control API buys")
  func lines() async throws {
    let bakery = try await BakeryServer()
    let folder = try ScratchFolder()
    try await bakery.listening { port async throws in
      let reply = try await send(.get, "/", host: "127.0.0.1:\(port)", toPort: port)
      let page = try HTMLCheck(String(decoding: reply.body, as: UTF8.self))
      #expect(page.preformatted["connect-swift"]?.contains("OPENSTOREKIT_URL=http://127.0.0.1:\(port)\n") == true)
      try folder.write("receipt", try await bakery.receipt())
      let curl = try await folder.run("bash", "-c", try #require(page.preformatted["connect-curl"]) + " --silent")
      #expect(curl.output.contains("\"status\":0"), "\(curl.output)")
      let python = try #require(page.preformatted["connect-python"])
      try folder.write("verify.py", python + "\n\nprint(verify_receipt(open('receipt', 'rb').read())['status'])\n")
      #expect(try await folder.run("python3", "verify.py").output == "0\n")
      let before = try await bakery.store.transactionCount()
      let control = try #require(page.preformatted["connect-api"])
      let bought = try await folder.run("bash", "-c", control)
      #expect(bought.status == 0, "\(bought.output)")
      #expect(try await bakery.store.transactionCount() == before + 1)
    }
  }

  @Test("names of apps are quoted for the shell", arguments: ["a b", "it's", "$HOME `x`", "\"\\"])
  func hostileNames(name: String) async throws {
    let bakery = try await BakeryServer()
    let folder = try ScratchFolder()
    let app = try await bakery.store.serve(BundleID(name), catalog: [try BakeryServer.catalog()])
    let guide = ConnectionGuide(
      app: app, product: nil,
      calls: CallContext(
        origin: "http://127.0.0.1:1", api: ControlEndpoints.basePath, site: "/console", tokenVariable: nil))
    let page = try HTMLCheck("<!DOCTYPE html>\n" + guide.html.text)
    let settings = try #require(page.preformatted["connect-swift"]).replacing("swift run", with: "")
    let outcome = try await folder.run("sh", "-c", settings + "\nprintf %s \"$OPENSTOREKIT_BUNDLE_ID\"")
    #expect(outcome.output == name)
  }
}
