import AppStoreServerAPI
import Foundation
import HTTPTypes
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

extension StoredRowsEmulator {
  func request(to endpoint: Endpoint) throws -> HostileRequest {
    next += 1
    if ServerAPIEndpoints.contain(endpoint) { return try serverAPIRequest(to: endpoint) }
    let (path, isForm) = (endpoint.route.path, endpoint.route.path.hasPrefix("/console"))
    let isSubscription = path.contains("subscriptions")
    let id = isSubscription ? fixture.subscription : path.contains("transactions") ? fixture.consumable : fixture.fault
    var values = [
      "bundleId": Self.app, "environment": "sandbox", "name": Self.customer, "productId": "book",
      "transactionId": fixture.consumable, "originalTransactionId": fixture.subscription,
      "installationId": (path.contains("signOut") ? Self.otherPhone : Self.phone).rawValue,
      "paymentId": "w\(next * 5)",
      "id": id, "file": "control", "sequence": path.contains("{sequence}") ? "\(try newestRequest())" : "",
      "uuid": path.contains("{uuid}") ? try newestNotification() : "",
    ]
    try prepare(endpoint, &values)
    var address = endpoint.path(
      values.mapValues { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? $0 })
    if let query = queries[endpoint.description] { address += Array("?\(query)".utf8) }
    var fields: [(name: String, value: [UInt8])] = []
    // The console answers only its own pages.
    if isForm { fields.append(("Sec-Fetch-Site", Array("same-origin".utf8))) }
    var body = endpoint.takesBody ? Array(try body(endpoint).utf8) : nil
    if path == "/console/call" || path == "/console/command" {
      fields.append(("Content-Type", Array("application/x-www-form-urlencoded".utf8)))
    } else if path == "/console/store/restore" {
      let boundary = "rows"
      fields.append(("Content-Type", Array("multipart/form-data; boundary=\(boundary)".utf8)))
      let disposition = "--\(boundary)\r\nContent-Disposition: form-data; name="
      let file = "\(disposition)\"snapshot\"; filename=\"s.sqlite\"\r\nContent-Type: application/octet-stream\r\n\r\n"
      let rest = "\r\n\(disposition)\"confirmation\"\r\n\r\ngiven\r\n--\(boundary)--\r\n"
      body = Array(file.utf8) + (try snapshot()) + Array(rest.utf8)
    }
    return HostileRequest(endpoint.route.method, address, fields: fields, body: body)
  }

  private var queries: [String: String] {
    [
      "GET /control/v1/connection": "bundleId=\(Self.app)",
      "GET /control/v1/transactions": "customer=\(Self.customer)&withTotal=true",
      "GET /control/v1/charges": "customer=\(Self.customer)",
      "GET /control/v1/refunds": "customer=\(Self.customer)",
      "GET /control/v1/requests": "customer=\(Self.customer)",
      "GET /console/product": "app=\(Self.app)&product=book",
      "GET /console/customer": "environment=sandbox&name=\(Self.customer)",
      "GET /console/search": "q=7",
      "GET /": "customer=\(Self.customer)",
    ]
  }

  /// Makes what a request needs, such as a customer who can be removed.
  private func prepare(_ endpoint: Endpoint, _ values: inout [String: String]) throws {
    switch endpoint.description {
    case "DELETE /control/v1/customers/{environment}/{name}":
      values["name"] = "gone\(next)"
      try measured.send(.post, "/control/v1/customers", #"{"environment":"Sandbox","name":"gone\#(next)"}"#)
    case "POST /control/v1/transactions/{transactionId}/refund",
      "DELETE /control/v1/transactions/{transactionId}/refund":
      let bought = try measured.send(.post, "/control/v1/purchases", purchase("coins", payment: "refund \(next)"))
      let id = try #require(bought["transactionId"] as? String)
      values["transactionId"] = id
      if endpoint.route.method == .delete { try measured.send(.post, "/control/v1/transactions/\(id)/refund", "{}") }
    case "DELETE /control/v1/keys/{keyId}":
      let key = try measured.send(.post, "/control/v1/keys", #"{"bundleId":"\#(Self.app)"}"#)
      values["keyId"] = try #require(key["keyId"] as? String)
    case "POST /control/v1/transactions/{transactionId}/refundRequests",
      "POST /control/v1/transactions/{transactionId}/refundRequests/{id}/decision":
      let bought = try measured.send(.post, "/control/v1/purchases", purchase("coins", payment: "asked \(next)"))
      let id = try #require(bought["transactionId"] as? String)
      values["transactionId"] = id
      if endpoint.route.path.hasSuffix("decision") {
        let request = try measured.send(.post, "/control/v1/transactions/\(id)/refundRequests", "{}")
        values["id"] = "\(try #require(request["id"] as? Int))"
      }
    case "PATCH /control/v1/customers/{environment}/{name}":
      try measured.send(.patch, "/control/v1/customers/sandbox/\(Self.customer)", #"{"family":null}"#)
    case "DELETE /control/v1/faults/{id}":
      values["id"] = try newFault()
    case "POST /control/v1/installations/{installationId}/signOut", "POST /device/v1/signOut":
      try answer(SignInCall(credentials: SignInCredentials(account: AccountName(Self.customer))), on: Self.otherPhone)
    default: break
    }
  }

  private func body(_ endpoint: Endpoint) throws -> String {
    let path = endpoint.route.path
    if path.hasPrefix("/device/v1/") { return try deviceBody(String(path.dropFirst("/device/v1/".count))) }
    if path.hasSuffix("/verifyReceipt") { return #"{"receipt-data":"\#(fixture.appReceipt)"}"# }
    return switch endpoint.description {
    case "PUT /control/v1/apps/{bundleId}": #"{"configurations":[\#(Self.catalog)]}"#
    case "PATCH /control/v1/apps/{bundleId}/products/{productId}": #"{"price":\#(1000 + next * 10)}"#
    case "POST /control/v1/customers": #"{"environment":"Sandbox","name":"new\#(next)"}"#
    case "PATCH /control/v1/customers/{environment}/{name}":
      // Coming back shares everything again.
      #"{"family":"f"}"#
    case "PATCH /control/v1/installations/{installationId}": #"{"restricted":false}"#
    case "POST /control/v1/promotedPurchases": #"{"installationId":"\#(Self.phone)","productId":"film"}"#
    case "POST /control/v1/purchases": purchase("coins", payment: "again \(next)")
    case "PATCH /control/v1/subscriptions/{originalTransactionId}": #"{"isAutoRenewOn":\#(next.isMultiple(of: 2))}"#
    case "PUT /control/v1/apps/{bundleId}/renewalRules": #"{"timeRate":0}"#
    case "POST /control/v1/approvals/{installationId}/{paymentId}": #"{"decision":"decline"}"#
    case "PATCH /control/v1/clock": #"{"rate":1}"#
    case "PATCH /control/v1/settings": #"{"documented21003":false}"#
    case "PUT /control/v1/apps/{bundleId}/notificationURLs": Self.notificationURLs
    case "PATCH /control/v1/notifications/policy": #"{"hold":false}"#
    case "POST /control/v1/notifications": #"{"bundleId":"\#(Self.app)","environment":"Sandbox","type":"TEST"}"#
    case "POST /control/v1/faults": #"{"kind":"outage","id":"f\#(next)","scope":{"customer":"nobody"}}"#
    case "POST /control/v1/notifications/settle": #"{"timeoutMilliseconds":600000}"#
    case "POST /control/v1/keys": #"{"bundleId":"\#(Self.app)"}"#
    case "POST /control/v1/transactions/{transactionId}/refundRequests/{id}/decision": #"{"outcome":"declined"}"#
    case "POST /control/v1/restore": #"{"snapshot":"\#(Data(try snapshot()).base64EncodedString())"}"#
    case "POST /console/call", "POST /console/command": "call=PATCH+clock&place=body&rate%3Anumber=1"
    default: "{}"
    }
  }

  private func newestNotification() throws -> String {
    let page = try measured.send(.get, "/control/v1/notifications?limit=1")
    return try #require((page["notifications"] as? [[String: Any]])?.first?["uuid"] as? String)
  }

  private func deviceBody(_ verb: String) throws -> String {
    switch DeviceAPI.Verb(rawValue: verb) {
    case .register: try deviceBody(RegisterCall(registration: Self.registration(Self.phone)))
    case .signIn:
      try deviceBody(SignInCall(credentials: SignInCredentials(account: AccountName(Self.customer))))
    case .signOut: try deviceBody(SignOutCall(), on: Self.otherPhone)
    case .products: try deviceBody(ProductsCall(productIDs: ["coins", "book", "club"]))
    case .quote:
      try deviceBody(QuoteCall(payment: PaymentRequest(paymentID: PaymentID("q\(next)"), productID: "coins")))
    case .confirm: try deviceBody(ConfirmCall(quote: try quote("coins", payment: "c\(next)")))
    case .unfinished: try deviceBody(UnfinishedCall())
    case .finish: try deviceBody(FinishCall(transactionID: TransactionID(rawValue: fixture.consumable)!))
    case .restore: try deviceBody(RestoreCall(after: nil, applicationUsername: nil))
    case .refreshReceipt: try deviceBody(RefreshReceiptCall())
    case .transactions: try deviceBody(TransactionsCall(after: nil))
    case .changes: try deviceBody(ChangesCall(after: ChangeCursor(rawValue: 0), waitSeconds: 0))
    case .appTransaction: try deviceBody(AppTransactionCall())
    case .requestRefund: try deviceBody(RequestRefundCall(transactionID: try newConsumable(), reason: .other))
    case .subscriptions: try deviceBody(SubscriptionsCall())
    case .changeSubscription:
      try deviceBody(
        ChangeSubscriptionCall(
          originalTransactionID: TransactionID(rawValue: fixture.subscription)!,
          setting: .autoRenew(isOn: next.isMultiple(of: 2))))
    default: throw MissingBody(verb: verb)
    }
  }

  /// Buys a consumable for the customer, and returns its transaction.
  private func newConsumable() throws -> TransactionID {
    let bought = try measured.send(.post, "/control/v1/purchases", purchase("coins", payment: "bought \(next)"))
    return try #require((bought["transactionId"] as? String).flatMap(TransactionID.init(rawValue:)))
  }

  /// Thrown for a call for which ``deviceBody(_:)`` has no body yet.
  private struct MissingBody: Error {
    let verb: String
  }

  private func newestRequest() throws -> Int {
    let page = try measured.send(.get, "/control/v1/requests?limit=1")
    return ((page["requests"] as? [[String: Any]])?.first?["sequence"] as? Int) ?? 1
  }

  private func snapshot() throws -> [UInt8] {
    let text = try #require(try measured.send(.get, "/control/v1/snapshot")["snapshot"] as? String)
    let snapshot = Array(try #require(Data(base64Encoded: text)))
    if snapshot.count > LifecycleRoutes.largestSnapshot {
      for path in ["/control/v1/restore", "/console/store/restore"] { refusals["POST \(path)"] = 413 }
    }
    return snapshot
  }
}

// MARK: The Server API

extension StoredRowsEmulator {
  /// The status with which a request to an endpoint is refused; nil if it succeeds. The customer has bought in the sandbox only, and
  /// the app has an address for notifications there only.
  static func refusal(by endpoint: Endpoint) -> Int? {
    guard ServerAPIEndpoints.contain(endpoint) else { return nil }
    guard let declared = ServerAPIEndpoints.declared(endpoint.route.path, endpoint.route.method) else { return 404 }
    let isProduction = endpoint.route.path.hasPrefix("/production/")
    return switch declared.name {
    case "requestTestNotification": isProduction ? 404 : nil
    case "getTestNotificationStatus", "getStatusOfRenewalDateExtensions": 404
    // An extension of all subscriptions would be made later, beside other measurements.
    case "extendRenewalDatesForAllActiveSubscribers": 400
    case "lookUpOrderId": isProduction ? nil : 400
    case "getNotificationHistory": nil
    default: isProduction ? 404 : nil
    }
  }

  private func serverAPIRequest(to endpoint: Endpoint) throws -> HostileRequest {
    let declared = ServerAPIEndpoints.declared(endpoint.route.path, endpoint.route.method)
    var values: [String: String] = [:]
    let names = declared.map(ServerAPIEndpoints.parameters) ?? []
    for index in names.indices {
      let value: String =
        switch names[index] {
        case "productId": "none"
        case "requestIdentifier", "testNotificationToken": "00000000-0000-4000-8000-000000000001"
        case "orderId": "M0"
        default: declared?.name == "extendSubscriptionRenewalDate" ? copiedSubscription() : fixture.consumable
        }
      values["value\(index + 1)"] = value
    }
    return HostileRequest(
      endpoint.route.method, endpoint.path(values), fields: [token],
      body: endpoint.takesBody ? Array((declared.map(body) ?? "{}").utf8) : nil)
  }

  /// A subscription that was not extended yet: one of those that `EmulatorRows` has copied.
  private func copiedSubscription() -> String {
    let number = EmulatorRows.first + 4 + 5 * (next % 50)
    return fixture.subscription.prefix(10) + String(format: "%09d", number)
  }

  private func consumptionMember(_ name: String) -> String {
    switch name {
    case "customerConsented", "sampleContentProvided": "\"\(name)\":true"
    case "appAccountToken": "\"\(name)\":\"\""
    default: "\"\(name)\":0"
    }
  }

  private func body(_ endpoint: ServerAPIEndpoint) -> String {
    let extensionMembers = #""extendByDays":1,"extendReasonCode":0"#
    return switch endpoint.name {
    case "sendConsumptionInformation":
      #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"DELIVERED"}"#
    case "sendConsumptionInformationV1":
      "{" + ServerAPIEndpoints.members(endpoint.name).map(consumptionMember).joined(separator: ",") + "}"
    case "setAppAccountToken": #"{"appAccountToken":"\#(UUID())"}"#
    case "extendSubscriptionRenewalDate": "{\(extensionMembers),\"requestIdentifier\":\"r\(next)\"}"
    case "extendRenewalDatesForAllActiveSubscribers":
      "{\(extensionMembers),\"requestIdentifier\":\"\(UUID())\",\"productId\":\"none\"}"
    case "getNotificationHistory":
      "{\"startDate\":\(SystemClock().now.millisecondsSince1970 - 3_600_000),\"endDate\":4000000000000}"
    default: ""
    }
  }
}
