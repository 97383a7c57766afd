import APIDescription
import AppStoreEmulator
import ControlAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import SharedFixtures
import StoreModel
import Testing
import WebSupport

@testable import AppStoreEmulatorServer

/// E7: a form of the console needs no script.
@Suite("The forms of the console", .timeLimit(.minutes(30)))
struct CallRoutesTests {
  private static let purchase: [(name: String, value: String)] = [
    ("call", "POST purchases"), ("place", "body"), ("next", "/console/transactions/{transactionId}"),
    ("bundleId:text", BakeryServer.app.rawValue), ("environment:text", "Sandbox"), ("customer:text", "customer"),
    ("productId:text", BakeryServer.oven.rawValue), ("quantity:number", "1"), ("applicationUsername:text", ""),
    ("paymentId:text", "0b9c1a6e-0000-4000-8000-000000000001"),
  ]

  @Test("a form makes its call, and leads to the next page; sent twice it is one purchase")
  func purchase() async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      let replies = [try await client.submit(Self.purchase), try await client.submit(Self.purchase)]
      let id = try #require(try await bakery.store.transactions().first?.record.transactionID)
      for reply in replies {
        #expect((reply.status, reply.headers[.location]) == (303, "/console/transactions/\(id)"))
      }
      #expect(try await bakery.store.transactions().count == 1)
    }
  }

  @Test("every form of a page can be sent as it stands, and comes back to its page")
  func asTheyStand() async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      let page = "/console/clock"
      for (id, fields) in try await client.page(page).calls.sorted(by: { $0.key < $1.key }) {
        let reply = try await client.submit(fields, page: page)
        #expect([303, 400, 409].contains(reply.status), "\(id): \(reply.text)")
        if reply.status == 303 { #expect(reply.headers[.location] == page) }
      }
      let fault = try #require(try await client.page("/console/faults").calls["fault"])
      #expect(try await client.submit(fault, page: "/console/faults?x=1").headers[.location] == "/console/faults?x=1")
      #expect(bakery.store.faults().map { type(of: $0.fault.kind).name } == ["answerLost"])
    }
  }

  @Test("what the store refuses is on a page, with the command that was sent; nothing is changed")
  func refused() async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      let fields = Self.purchase.map { $0.name == "customer:text" ? ($0.name, "<ada>") : $0 }
      let reply = try await client.submit(fields, page: "/console/purchase")
      #expect(reply.status == 404)
      let page = try HTMLCheck(String(decoding: reply.body, as: UTF8.self))
      #expect(page.text.contains("<ada>") && page.text.contains("curl http://localhost/control/v1/purchases"))
      #expect(page.elements.contains { $0.attributes["href"] == "/console/purchase" })
      #expect(try await bakery.store.transactions().isEmpty)
    }
  }

  @Test("a mistyped date or span is answered in words, and nothing is sent")
  func mistyped() async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      for (name, text, words) in [
        ("now:date", "tomorrow", "“tomorrow” is not a date, such as 2026-07-01"),
        ("advanceMilliseconds:duration", "soon", "“soon” is not a time span"),
      ] {
        let reply = try await client.submit([("call", "PATCH clock"), ("place", "body"), (name, text)])
        #expect(reply.status == 400)
        #expect(try HTMLCheck(reply.text).text.contains(words), "\(reply.text)")
      }
      #expect(bakery.store.clock.now == BakeryServer.opening)
    }
  }

  @Test("members follow the kinds and conditions of their fields; checkboxes and words of one name are joined")
  func members() async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      let form: [(name: String, value: String)] = [
        ("call", "POST faults"), ("place", "body"), ("kind:text", "outage"),
        ("status:number:kind=receiptStatus other", "21005"), ("appearance:text:kind=outage", "x"),
        ("isOn:flag", "false"), ("isOn:flag", "true"), ("isOff:flag", "false"),
        ("scope.calls:texts", "quote"), ("scope.calls:texts", "confirm"), ("scope.customer:text", "it's"),
        ("durationSeconds:seconds", "1d"), ("count:number", ""),
      ]
      let reply = try await client.submit(form, to: "/console/command")
      #expect(reply.status == 200)
      #expect(
        reply.text == """
          curl http://localhost/control/v1/faults \\
            -H 'Content-Type: application/json' \\
            --data-raw '{"kind":"outage","appearance":"x","isOn":true,"isOff":false,"scope":{"calls":["quote","confirm"],\
          "customer":"it'\\''s"},"durationSeconds":86400}'
          """)
    }
  }

  @Test("names with dots and slashes stay themselves in the path", arguments: ["..", ".", "a/b", "100% é"])
  func paths(name: String) async throws {
    let bakery = try await BakeryServer()
    try await bakery.store.addCustomer(Customer(environment: .sandbox, name: AccountName(name)))
    try await bakery.withClient { client async throws in
      let call = APICall("remove", ControlEndpoints.removeCustomer, "sandbox", name)
      let reply = try await client.submit([("call", call.name)])
      #expect(reply.status == 303, "\(reply.text)")
      #expect(try await bakery.store.customers().map(\.name) == ["customer", "customer"])
    }
  }

  @Test(
    "pages of other sites, and programs, cannot send forms",
    arguments: [
      [:], ["Origin": "https://evil.example"], ["Sec-Fetch-Site": "cross-site"], ["Origin": "null"],
    ] as [[String: String]])
  func foreign(headers: [String: String]) async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      for path in ["/console/call", "/console/command"] {
        let reply = try await client.submit(Self.purchase, to: path, headers: headers)
        #expect((reply.status, reply.code) == (403, "foreignOrigin"))
      }
      #expect(try await bakery.store.transactions().isEmpty)
    }
  }

  @Test("with a control token, a form needs a session")
  func session() async throws {
    let bakery = try await BakeryServer(.init(port: 0, controlToken: "sesame"))
    try await bakery.withClient { client async throws in
      #expect(try await client.submit(Self.purchase).status == 401)
      #expect(try await bakery.store.transactions().isEmpty)
      let long = ["Origin": "http://localhost", "Authorization": "Bearer \(String(repeating: "a", count: 8_193))"]
      let refused = try await client.submit(Self.purchase, headers: long)
      #expect((refused.status, refused.code) == (401, "tokenRefused"))
      let bearer = ["Origin": "http://localhost", "Authorization": "Bearer sesame"]
      #expect(try await client.submit(Self.purchase, headers: bearer).status == 303)
    }
  }

  @Test("with a session, a form needs the token that its page had for it")
  func formToken() async throws {
    let bakery = try await BakeryServer(.init(port: 0, controlToken: "sesame"))
    try await bakery.withClient { client async throws in
      let signedIn = try await client.send(
        .post, "/console/sign-in", "token=sesame", headers: ["Content-Type": "application/x-www-form-urlencoded"])
      let cookie = try #require(signedIn.headers[.setCookie]?.split(separator: ";").first.map(String.init))
      let headers = ["Origin": "http://localhost", "Cookie": cookie]
      let reset = try #require(try await client.page("/console/store", headers: ["Cookie": cookie]).calls["reset"])
      let confirmed = reset + [("confirmation", "given")]
      let epoch = bakery.store.epoch
      let other = confirmed.map { $0.name == "call" ? ($0.name, "DELETE faults") : $0 }
      let wrong = confirmed.map { $0.name == "token" ? ($0.name, String(repeating: "0", count: 64)) : $0 }
      for fields in [confirmed.filter { $0.name != "token" }, other, wrong] {
        for path in ["/console/call", "/console/command"] {
          let reply = try await client.submit(fields, to: path, headers: headers)
          #expect((reply.status, reply.code) == (403, "foreignForm"), "\(path)")
        }
      }
      #expect(try await client.submit(confirmed, to: "/console/command", headers: headers).status == 200)
      #expect(bakery.store.epoch == epoch)
      #expect(try await client.submit(confirmed, headers: headers).status == 303)
      #expect(bakery.store.epoch != epoch)
    }
  }

  @Test("a mistyped field is named, so that the page shows the refusal beside it")
  func besideTheField() async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      func refused(_ fields: [(name: String, value: String)]) async throws -> String? {
        let reply = try await client.submit(fields)
        let page = try HTMLCheck(reply.text)
        return page.elements.first { $0.attributes["class"] == "notice" && $0.name == "p" }?.attributes["data-field"]
      }
      // Refused before the call, and by the control API.
      #expect(try await refused([("call", "PATCH clock"), ("place", "body"), ("now:date", "soon")]) == "now:date")
      let purchase = Self.purchase.map { $0.name == "quantity:number" ? ($0.name, "1.5") : $0 }
      #expect(try await refused(purchase) == "quantity:number")
      let unknown = Self.purchase.map { $0.name == "customer:text" ? ($0.name, "ada") : $0 }
      #expect(try await refused(unknown) == nil)
    }
  }

  @Test(
    "what is no form of the console is refused",
    arguments: [
      [], [("call", "POST")], [("call", "P(ST purchases")], [("call", "GET customers"), ("name", "x")],
      [("call", "GET %ZZ")], [("call", "GET customers"), ("name:sort", "x")],
      [("call", "GET customers"), ("name:text:kind", "x")],
      [("call", "POST customers"), ("name\(String(repeating: ".a", count: 20_000)):text", "x")],
    ] as [[(name: String, value: String)]])
  func malformed(fields: [(name: String, value: String)]) async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      let reply = try await client.submit(fields)
      #expect((reply.status, reply.code) == (400, "malformedRequest"), "\(reply.text)")
    }
  }

  @Test("the page to come back to is one of this server's", arguments: ["//evil.example/", "http://evil.example//x"])
  func comingBack(referer: String) async throws {
    let bakery = try await BakeryServer()
    try await bakery.withClient { client async throws in
      let headers = ["Origin": "http://localhost", "Referer": referer]
      let reply = try await client.submit([("call", "DELETE faults")], headers: headers)
      #expect(reply.status == 303)
      #expect(reply.headers[.location]?.hasPrefix("//") == false, "\(reply.headers)")
    }
  }
}
