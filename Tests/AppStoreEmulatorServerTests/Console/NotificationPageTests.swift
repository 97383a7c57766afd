import AppStoreEmulator
import Foundation
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("The console's pages of notifications", .timeLimit(.minutes(30)))
struct NotificationPageTests {
  /// A developer's server that answers all notifications with the same text and status.
  private struct Receiver: NotificationTransport {
    var status = 200
    var text = "thanks"

    func post(_ body: Data, to url: URL) async throws(NotificationFailure) -> NotificationAnswer {
      NotificationAnswer(status: status, body: Data(text.utf8))
    }
  }

  /// A bakery whose server listens for the sandbox.
  private func bakery(_ receiver: Receiver = Receiver()) async throws -> BakeryServer {
    let bakery = try await BakeryServer()
    bakery.store.deliverNotifications(over: receiver)
    let url = try #require(URL(string: "http://server.example/notifications"))
    try await bakery.store.setNotificationURLs(NotificationURLs(sandbox: url), of: BakeryServer.app)
    return bakery
  }

  /// The form with other values in some of its fields.
  private func filled(
    _ form: [(name: String, value: String)], _ values: [String: String]
  ) -> [(name: String, value: String)] {
    form.map { ($0.name, values[$0.name] ?? $0.value) }
  }

  @Test("H1 the list has type, state and attempts of each, and finds by what it is asked for")
  func list() async throws {
    let bakery = try await bakery()
    let store = bakery.store
    try await store.addCustomer(Customer(environment: .sandbox, name: "ada"))
    let loaf = try await bakery.order("ada").record.transactionID
    let refunded = try await bakery.order().record.transactionID
    try await store.refund(refunded)
    try await bakery.order(in: .production)
    try await store.settleNotifications(timeoutMilliseconds: 600_000)
    try await bakery.withClient { client async throws in
      func found(_ query: String) async throws -> [String] {
        let page = try await client.page("/console/notifications?\(query)")
        return page.elements.compactMap { $0.attributes["id"] }.filter { $0.hasPrefix("n-") }
      }
      let all = try await client.page("/console/notifications")
      for text in ["ONE_TIME_CHARGE", "REFUND", "delivered", "SUCCESS", "HTTP 200", loaf.rawValue, "ada", "Sandbox"] {
        #expect(all.text.contains(text), "\(text)")
      }
      // The production server has no address.
      #expect(try await found("") == ["n-3", "n-2", "n-1"])
      #expect(try await found("type=REFUND") == ["n-3"])
      #expect(try await found("customer=ada") == ["n-1"])
      #expect(try await found("transaction=\(refunded)&type=ONE_TIME_CHARGE") == ["n-2"])
      #expect(try await found("environment=production") == [])
      #expect(try await found("state=failed&app=\(BakeryServer.app)") == [])
      #expect(try await found("rows=2") == ["n-3", "n-2"])
      #expect(try await found("before=2") == ["n-1"])
      let page = try await client.page("/console/notifications?rows=2&state=sent")
      let links = page.elements.compactMap { $0.attributes["href"] }
      #expect(links.contains("/console/notifications?state=sent&before=2"))
      #expect(links.contains("/console/notifications?state=sent&rows=102"))
      #expect(
        try await client.page("/console/transactions/\(loaf)").elements.contains {
          $0.attributes["href"] == "/console/notifications?transaction=\(loaf)"
        })
      for (query, text) in [
        ("type=SING", "type is one of"), ("subtype=x", "subtype is one of"), ("state=x", "state is one of"),
        ("transaction=x", "x is no transaction id"), ("rows=501", "rows is a number"),
      ] {
        #expect(try await client.page("/console/notifications?\(query)", status: 400).text.contains(text), "\(query)")
      }
    }
  }

  @Test(
    "H1 a notification's page has its decoded payload, and the attempts with the answers; from there it is sent again")
  func page() async throws {
    let bakery = try await bakery(Receiver(status: 503, text: "<b>busy & \"tired\"</b>"))
    let id = try await bakery.order().record.transactionID
    try await bakery.store.settleNotifications(timeoutMilliseconds: 600_000)
    let notification = try #require(try await bakery.store.notifications().notifications.first)
    let signed = try #require(try await bakery.store.notification(notification.uuid).signedPayload)
    let address = "/console/notifications/\(notification.uuid)"
    try await bakery.withClient { client async throws in
      let page = try await client.page(address, hasMarkupInNames: true)
      for text in [
        "ONE_TIME_CHARGE", "failed", "UNSUCCESSFUL_HTTP_RESPONSE_CODE", "HTTP 503",
        "http://server.example/notifications",
      ] {
        #expect(page.text.contains(text), "\(text)")
      }
      #expect(page.preformatted["payload"]?.contains("\"notificationUUID\" : \"\(notification.uuid)\"") == true)
      #expect(page.preformatted["transaction"]?.contains("\"transactionId\" : \"\(id)\"") == true)
      #expect(page.preformatted["jws"] == signed)
      #expect(page.preformatted["answer-0"] == "<b>busy & \"tired\"</b>")
      #expect(page.preformatted["json-command"]?.contains("/control/v1\(address.dropFirst("/console".count))") == true)
      let reply = try await client.submit(try #require(page.calls["resend"]), page: address)
      #expect((reply.status, reply.headers[.location]) == (303, address))
      try await bakery.store.settleNotifications(timeoutMilliseconds: 600_000)
      #expect(try await client.page(address, hasMarkupInNames: true).preformatted["answer-1"] != nil)
      #expect(try await client.page("/console/notifications/none", status: 404).text.contains("none"))
    }
    #expect(try await bakery.store.notification(notification.uuid).notification.attempts.count == 2)
  }

  @Test("a line says where the server of each app listens; its form changes it, and an empty field removes an address")
  func addresses() async throws {
    let bakery = try await BakeryServer()
    let store = bakery.store
    try await store.serve("org.example.other", catalog: [BakeryServer.catalog()])
    try await bakery.withClient { client async throws in
      let page = "/console/notifications"
      let empty = try await client.page(page)
      #expect(empty.text.contains("org.example.bakery: your server listens nowhere"))
      #expect(empty.calls.keys.filter { $0.hasPrefix("addresses") }.count == 2)
      #expect(try await client.page("\(page)?app=\(BakeryServer.app)").calls["addresses-org.example.other."] == nil)
      let form = try #require(empty.calls["addresses-\(BakeryServer.app)."])
      let (production, sandbox) = ("production:textOrNull", "sandbox:textOrNull")
      let refused = try await client.submit(filled(form, [sandbox: "ftp://a"]), page: page)
      #expect(refused.status == 422 && refused.text.contains("ftp"))
      #expect(try await store.notificationURLs(of: BakeryServer.app) == NotificationURLs())
      #expect(try await client.submit(filled(form, [sandbox: "http://a.example/x"]), page: page).status == 303)
      #expect(
        try await client.page(page).text.contains(
          "your server listens nowhere for production, and at http://a.example/x for the sandbox"))
      let both = [production: "http://a.example/x", sandbox: "http://a.example/x"]
      #expect(try await client.submit(filled(form, both), page: page).status == 303)
      #expect(try await client.page(page).text.contains("your server listens at http://a.example/x."))
      #expect(try await client.submit(filled(form, [:]), page: page).status == 303)
      #expect(try await store.notificationURLs(of: BakeryServer.app) == NotificationURLs())
    }
  }

  @Test("a notification of any type is sent at will, and all of them are held, lost or delayed, by forms")
  func sending() async throws {
    let bakery = try await bakery()
    let id = try await bakery.order().record.transactionID
    try await bakery.withClient { client async throws in
      let page = try await client.page("/console/notifications")
      let form = try #require(page.calls["send"])
      let reply = try await client.submit(
        filled(
          form, ["type:text": "EXPIRED", "subtype:text:type=EXPIRED": "VOLUNTARY", "transactionId:text": id.rawValue]),
        page: "/console/notifications")
      let sent = try #require(try await bakery.store.notifications().notifications.first)
      #expect((reply.status, reply.headers[.location]) == (303, "/console/notifications/\(sent.uuid)"))
      #expect((sent.type.rawValue, sent.subtype?.rawValue, sent.transactionID) == ("EXPIRED", "VOLUNTARY", id))
      // Unchanged, the form sends a test notification.
      #expect(try await client.submit(form).status == 303)
      #expect(try await bakery.store.notifications().notifications.first?.type.known == .test)
      let policy = try #require(page.calls["policy"])
      let changed = policy + [("hold:flag", "true"), ("delayMilliseconds:duration", "2 s")]
      #expect(try await client.submit(changed, page: "/console/notifications").status == 303)
      var wanted = NotificationPolicy()
      (wanted.hold, wanted.delayMilliseconds) = (true, 2_000)
      #expect(bakery.store.notificationPolicy == wanted)
    }
  }

  @Test("a refund is asked for, answered by the developer's server, and decided on the transaction's page")
  func refundRequest() async throws {
    let bakery = try await bakery()
    let store = bakery.store
    let id = try await bakery.order().record.transactionID
    let authorization = try await bakery.serverAPIAuthorization()
    try await bakery.withClient { client async throws in
      let address = "/console/transactions/\(id)"
      func form(_ name: String) async throws -> [(name: String, value: String)] {
        try #require(try await client.page(address).calls[name])
      }
      #expect(try await !client.page(address).text.contains("Your server has sent no consumption information"))
      let asked = try await client.submit(
        filled(try await form("ask"), ["reason:text": "UNINTENDED_PURCHASE"]), page: address)
      #expect((asked.status, asked.headers[.location]) == (303, address))
      let waiting = try await client.page(address)
      for text in ["Unintended purchase", "waiting for a decision", "Your server has sent no consumption information"] {
        #expect(waiting.text.contains(text), "\(text)")
      }
      #expect(waiting.calls["ask"] == nil)
      #expect(try await store.notifications().notifications.first?.type.known == .consumptionRequest)
      let told = try await client.send(
        .put, "/sandbox/inApps/v2/transactions/consumption/\(id)",
        #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"DELIVERED"}"#,
        headers: authorization)
      #expect(told.status == 202)
      #expect(try await client.page(address).preformatted["consumption"]?.contains("\"DELIVERED\"") == true)
      #expect(
        try await client.submit(filled(try await form("decide"), ["outcome:text": "declined"]), page: address).status
          == 303)
      #expect(try await client.page(address).text.contains("declined"))
      #expect(try await store.transaction(id).stored.record.revocationDate == nil)
      // The customer may ask again.
      _ = try await client.submit(try await form("ask"), page: address)
      let part = ["outcome:text": "prorated", "percentage:thousandths:outcome=prorated": "12.5"]
      #expect(try await client.submit(filled(try await form("decide"), part), page: address).status == 303)
      let refunded = try await client.page(address)
      #expect(refunded.text.contains("refunded in part (12.5 %)") && refunded.text.contains("Another reason"))
      let timeline = try await client.page(ConsoleAddress.transaction(id, tab: .timeline))
      for entry in [
        "The customer asked for a refund: Unintended purchase", "The request for a refund was declined",
        "The customer asked for a refund: Another reason", "The request for a refund was granted in part (12.5 %)",
      ] {
        #expect(timeline.text.contains(entry), "\(entry)")
      }
      #expect(refunded.calls.keys.sorted() == ["reverse"])
      #expect(try await store.transaction(id).stored.record.revocationPercentage == 12_500)
    }
  }
}
