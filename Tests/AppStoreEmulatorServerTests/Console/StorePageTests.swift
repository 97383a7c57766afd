import AppStoreEmulator
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("The console's page of the store", .timeLimit(.minutes(30)))
struct StorePageTests {
  /// Sends a file as a browser does.
  private func restore(
    _ file: Data, by client: any TestClientProtocol, origin: String = "http://localhost", isConfirmed: Bool = true,
    token: String? = nil, cookie: String? = nil
  ) async throws -> Reply {
    var body = ByteBuffer(string: "--b\r\nContent-Disposition: form-data; name=\"snapshot\"; filename=\"x\"\r\n\r\n")
    body.writeBytes(file)
    if isConfirmed {
      body.writeString("\r\n--b\r\nContent-Disposition: form-data; name=\"confirmation\"\r\n\r\ngiven")
    }
    if let token {
      body.writeString("\r\n--b\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n\(token)")
    }
    body.writeString("\r\n--b--\r\n")
    var fields: HTTPFields = [.contentType: "multipart/form-data; boundary=b", .origin: origin]
    if let cookie { fields[.cookie] = cookie }
    let response = try await client.executeRequest(
      uri: "/console/store/restore", method: .post, headers: fields, body: body)
    return Reply(status: response.status.code, headers: response.headers, body: Data(buffer: response.body))
  }

  @Test("it says which store this is, where its data is, and how many records there are")
  func identity() async throws {
    let bakery = try await BakeryServer()
    try await bakery.order()
    try await bakery.withClient { client async throws in
      let page = try await client.page("/console/store")
      for text in ["in memory", bakery.store.epoch.rawValue, "Seed", "Transactions"] {
        #expect(page.text.contains(text), "\(text)")
      }
      let summary = try await bakery.store.summary()
      #expect((summary.seed, summary.transactions, summary.customers, summary.products) == (3, 1, 2, 2))
    }
  }

  @Test("the settings are shown and changed, and an empty locale removes it")
  func settings() async throws {
    let bakery = try await BakeryServer()
    try await bakery.store.changeSettings { $0 = StoreSettings(locale: "de_DE", documented21003: true) }
    try await bakery.withClient { client async throws in
      let form = try #require(try await client.page("/console/store").calls["settings"])
      #expect(form.contains { $0 == ("locale:textOrNull", "de_DE") })
      let fields = form.filter { !$0.name.hasPrefix("documented21003") && !$0.name.hasPrefix("locale") }
      let reply = try await client.submit(
        fields + [("locale:textOrNull", ""), ("documented21003:flag", "false"), ("lenientBase64:flag", "true")],
        page: "/console/store")
      #expect(reply.status == 303, "\(reply.text)")
    }
    #expect(try await bakery.store.settings() == StoreSettings(lenientBase64: true))
  }

  @Test("a reset needs its box; without it nothing changes")
  func reset() async throws {
    let bakery = try await BakeryServer()
    try await bakery.order()
    let epoch = bakery.store.epoch
    try await bakery.withClient { client async throws in
      let form = try #require(try await client.page("/console/store").calls["reset"])
      let refused = try await client.submit(form, page: "/console/store")
      #expect(refused.status == 400 && refused.text.contains("Check the box first"))
      #expect(bakery.store.epoch == epoch)
      let reply = try await client.submit(form + [("confirmation", "given")], page: "/console/store")
      #expect((reply.status, reply.headers[.location]) == (303, "/console/store"))
      #expect(bakery.store.epoch != epoch)
      #expect(try await bakery.store.transactions().isEmpty)
    }
  }

  @Test("a downloaded snapshot can be restored; what is no snapshot changes nothing")
  func snapshot() async throws {
    let bakery = try await BakeryServer()
    let transaction = try await bakery.order().record.transactionID
    try await bakery.withClient { client async throws in
      let snapshot = try await client.get("/console/store/snapshot")
      #expect(snapshot.status == 200 && snapshot.body.starts(with: Data("SQLite format 3".utf8)))
      #expect(
        snapshot.headers[.contentDisposition]
          == "attachment; filename=\"store-\(bakery.store.epoch.rawValue).sqlite\"")
      try await bakery.store.reset()
      let epoch = bakery.store.epoch
      for (file, text) in [(Data("nonsense".utf8), "cannot be restored"), (Data(), "Choose a snapshot file")] {
        let refused = try await restore(file, by: client)
        #expect(refused.status >= 400 && refused.text.contains(text))
      }
      let unconfirmed = try await restore(snapshot.body, by: client, isConfirmed: false)
      #expect(unconfirmed.status == 400 && unconfirmed.text.contains("Check the box first"))
      #expect(bakery.store.epoch == epoch)
      let foreign = try await restore(snapshot.body, by: client, origin: "https://evil.example")
      #expect((foreign.status, foreign.code) == (403, "foreignOrigin"))
      let reply = try await restore(snapshot.body, by: client)
      #expect((reply.status, reply.headers[.location]) == (303, "/console/store"))
      #expect(try await bakery.store.transactions().map(\.record.transactionID) == [transaction])
    }
  }

  @Test("pages of another site cannot make a browser store a snapshot or a transaction's files")
  func otherSite() async throws {
    let bakery = try await BakeryServer()
    let id = try await bakery.order().record.transactionID
    try await bakery.withClient { client async throws in
      for path in ["/console/store/snapshot", "/console/transactions/\(id)/files/control"] {
        let foreign = try await client.get(path, headers: ["Sec-Fetch-Site": "cross-site"])
        #expect((foreign.status, foreign.code) == (403, "foreignOrigin"), "\(path)")
        #expect(try await client.get(path, headers: ["Sec-Fetch-Site": "same-origin"]).status == 200, "\(path)")
      }
    }
  }

  @Test(
    "no file of a transaction is a table that a spreadsheet opens, and no line of a text begins as a formula",
    arguments: TransactionFile.allCases)
  func noTables(_ file: TransactionFile) async throws {
    let bakery = try await BakeryServer()
    let id = try await bakery.order().record.transactionID
    try await bakery.withClient { client async throws in
      let reply = try await client.get("/console/transactions/\(id)/files/\(file.rawValue)")
      #expect(reply.status == 200)
      let disposition = try #require(reply.headers[.contentDisposition])
      #expect(disposition.wholeMatch(of: /attachment; filename="[^"]+\.(json|jws|txt|plist)"/) != nil, "\(disposition)")
      for line in reply.text.split(separator: "\n") where disposition.hasSuffix(".txt\"") {
        #expect(!["=", "+", "-", "@", "\t", "\r"].contains(line.prefix(1)), "\(line)")
      }
    }
  }

  @Test("with a control token, a snapshot needs a session")
  func session() async throws {
    let bakery = try await BakeryServer(.init(port: 0, controlToken: "sesame"))
    try await bakery.withClient { client async throws in
      #expect(try await client.get("/console/store/snapshot").status == 401)
      #expect(try await restore(Data("x".utf8), by: client).status == 401)
    }
  }

  @Test("with a session, a restore needs the token of its form: another call's token restores nothing")
  func formToken() async throws {
    let bakery = try await BakeryServer(.init(port: 0, controlToken: "sesame"))
    let snapshot = try await bakery.store.snapshot()
    let epoch = bakery.store.epoch
    try await bakery.withClient { client async throws in
      let signIn = try await client.send(
        .post, "/console/sign-in", "token=sesame", headers: ["Content-Type": "application/x-www-form-urlencoded"])
      let cookie = try #require(signIn.headers[.setCookie]?.split(separator: ";").first.map(String.init))
      let page = try await client.page("/console/store", headers: ["Cookie": cookie])
      let own = try #require(page.forms(to: "/console/store/restore")["restore"]?.first { $0.name == "token" }?.value)
      let other = try #require(page.calls["reset"]?.first { $0.name == "token" }?.value)
      for token in [nil, "", other] {
        let refused = try await restore(Data(snapshot), by: client, token: token, cookie: cookie)
        #expect(refused.status == 403 && refused.text.contains("another session"), "\(refused.text)")
      }
      #expect(bakery.store.epoch == epoch)
      #expect(try await restore(Data(snapshot), by: client, token: own, cookie: cookie).status == 303)
      #expect(bakery.store.epoch != epoch)
    }
  }
}
