import Foundation
import SharedFixtures
import Testing

/// An emulator from which a customer buys, for the proofs of purchases.
final class StoredRowsShop {
  let measured: MeasuredServer
  /// The app receipt of all passes, in base64.
  private(set) var receipt = ""
  /// The transaction id of ``signedPurchase()``.
  private(set) var lastPurchase = ""

  init(_ folder: ScratchFolder) async throws {
    let catalog = folder.url.appending(path: "shop.storekit")
    try Data(
      """
      {"products": [{"productID": "a", "type": "Consumable", "displayPrice": "1"}],
       "nonRenewingSubscriptions": [{"productID": "pass", "type": "NonRenewingSubscription", "displayPrice": "1"}]}
      """.utf8
    ).write(to: catalog)
    measured = try await MeasuredServer([
      "emulator", "--config", catalog.path, "--bundle-id", HostileServer.app, "--port", "0",
    ])
  }

  /// Buys passes, one after the other, and renews the receipt.
  func buy(_ count: Int) throws {
    var last = ""
    for _ in 0..<max(1, count) { last = try purchase("pass") }
    receipt = try #require(try proofs(last)["appReceipt"] as? String)
  }

  /// Buys a consumable, and returns its signed transaction.
  func signedPurchase() throws -> String {
    lastPurchase = try purchase("a")
    return try #require(try proofs(lastPurchase)["signedTransaction"] as? String)
  }

  /// Returns the signed payload of a new notification.
  func signedNotification() throws -> String {
    let app = HostileServer.app
    // Nothing listens there, so the server receives it only from the test.
    try measured.send(
      .put, "/control/v1/apps/\(app)/notificationURLs", #"{"production":null,"sandbox":"http://127.0.0.1:9/"}"#)
    let sent = try measured.send(
      .post, "/control/v1/notifications", #"{"bundleId":"\#(app)","environment":"Sandbox","type":"TEST"}"#)
    let uuid = try #require(sent["uuid"] as? String, "\(sent)")
    try measured.send(.post, "/control/v1/notifications/settle", "{}")
    let details = try measured.send(.get, "/control/v1/notifications/\(uuid)")
    return try #require(details["signedPayload"] as? String, "\(details)")
  }

  private func purchase(_ product: String) throws -> String {
    let body =
      #"{"bundleId":"\#(HostileServer.app)","environment":"Sandbox","customer":"customer","productId":"\#(product)"}"#
    let answer = try measured.send(.post, "/control/v1/purchases", body)
    return try #require(answer["transactionId"] as? String, "\(answer)")
  }

  private func proofs(_ id: String) throws -> [String: Any] {
    try measured.send(.get, "/control/v1/transactions/\(id)/proofs")
  }
}
