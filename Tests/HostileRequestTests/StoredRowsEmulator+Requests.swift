import Foundation
import HTTPTypes
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

extension StoredRowsEmulator {
  func request(to endpoint: Endpoint) throws -> HostileRequest {
    next += 1
    let (path, isForm) = (endpoint.route.path, endpoint.route.path.hasPrefix("/console"))
    let isSubscription = path.contains("subscriptions")
    let id = isSubscription ? fixture.subscription : path.contains("transactions") ? fixture.consumable : fixture.fault
    var values = [
      "bundleId": Self.app, "environment": "sandbox", "name": Self.customer, "productId": "book",
      "transactionId": fixture.consumable, "originalTransactionId": fixture.subscription,
      "installationId": (path.contains("signOut") ? Self.otherPhone : Self.phone).rawValue,
      "paymentId": "w\(next * 5)",
      "id": id, "file": "control", "sequence": path.contains("{sequence}") ? "\(try newestRequest())" : "",
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
    case "POST /control/v1/faults": #"{"kind":"outage","id":"f\#(next)","scope":{"customer":"nobody"}}"#
    case "POST /control/v1/restore": #"{"snapshot":"\#(Data(try snapshot()).base64EncodedString())"}"#
    case "POST /console/call", "POST /console/command": "call=PATCH+clock&body=1&rate%3Anumber=1"
    default: "{}"
    }
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
    case .changes: try deviceBody(ChangesCall(after: ChangeCursor(rawValue: 0), waitSeconds: 0))
    case .subscriptions: try deviceBody(SubscriptionsCall())
    case .changeSubscription:
      try deviceBody(
        ChangeSubscriptionCall(
          originalTransactionID: TransactionID(rawValue: fixture.subscription)!,
          setting: .autoRenew(isOn: next.isMultiple(of: 2))))
    default: throw MissingBody(verb: verb)
    }
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
      refusals = ["POST /control/v1/restore": 413, "POST /console/store/restore": 413]
    }
    return snapshot
  }
}
