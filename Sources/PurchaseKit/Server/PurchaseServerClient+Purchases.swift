import Foundation
import HTTPTransport

extension PurchaseServerClient {
  /// A purchase to be redeemed.
  public struct ClaimedPurchase: Hashable, Encodable, Sendable {
    let transactionId: String
    let productId: String?

    /// - Parameters:
    ///   - transactionIdentifier: the identifier that the proof contains. For a restored purchase, the original
    ///     transaction's.
    ///   - productIdentifier: the product that the app expects; nil for any product.
    public init(transactionIdentifier: String, productIdentifier: String? = nil) {
      transactionId = transactionIdentifier
      productId = productIdentifier
    }
  }

  private struct RedemptionMessage: Encodable {
    let proof: StoreProof.Message
    let purchases: [ClaimedPurchase]
  }

  private struct RestoreMessage: Encodable {
    let proof: StoreProof.Message
  }

  /// Sends purchases to the server, which verifies them, and returns their goods.
  ///
  /// - Returns: the result of each purchase, even if all were refused.
  /// - Throws: ``PurchaseServerError``; `refused` if the proof itself was refused.
  public func redeem(_ proof: StoreProof, _ purchases: [ClaimedPurchase]) async throws -> ServerRedemption {
    try await redemption(
      endpoints.post(RedemptionMessage(proof: .init(proof), purchases: purchases), to: "redemptions"))
  }

  /// Redeems purchases as `customer`, never as another customer who signs in meanwhile.
  ///
  /// - Throws: ``OtherCustomer`` in two cases. If the current token belongs to another customer, nothing was redeemed.
  ///   If the server joined `customer` with another customer, the purchases were redeemed for that other customer.
  ///   Otherwise ``PurchaseServerError``.
  func redeem(
    _ proof: StoreProof, _ purchases: [ClaimedPurchase], as customer: UUID
  ) async throws -> ServerRedemption {
    let message = RedemptionMessage(proof: .init(proof), purchases: purchases)
    let asked = successor(of: customer)
    let (reply, bearer) = try await answer(to: endpoints.post(message, to: "redemptions"), as: customer)
    let redemption = try Self.redemption(in: reply)
    try await becomes(redemption.customer, bearer)
    guard redemption.customer == asked else { throw OtherCustomer() }
    return redemption
  }

  /// Restores all non-consumables and subscriptions that the proof contains.
  ///
  /// - Throws: ``PurchaseServerError``.
  public func restore(_ proof: StoreProof) async throws -> ServerRedemption {
    try await redemption(endpoints.post(RestoreMessage(proof: .init(proof)), to: "restores"))
  }

  private func redemption(_ call: HTTPCall) async throws -> ServerRedemption {
    let (reply, bearer) = try await answer(to: call)
    let redemption = try Self.redemption(in: reply)
    try await becomes(redemption.customer, bearer)
    return redemption
  }

  private static func redemption(in reply: HTTPReply) throws -> ServerRedemption {
    do {
      return try ServerEndpoints.decoded(ServerRedemption.self, from: reply)
    } catch {
      // If all purchases are refused, the response has an error status and still lists the result of each.
      let anyStatus = HTTPReply(head: HTTPReplyHead(status: 200), body: reply.body)
      guard (400..<500).contains(reply.status),
        let refused = try? ServerEndpoints.decoded(ServerRedemption.self, from: anyStatus)
      else { throw error }
      return refused
    }
  }

  /// Returns the customer's current and past entitlements on the server.
  public func entitlements() async throws -> [ServerEntitlement] {
    struct Answer: Decodable { let entitlements: [ServerEntitlement] }
    return try await read(Answer.self, HTTPCall("GET", endpoints.app.appending(path: "entitlements"))).entitlements
  }

  /// Returns the content that can be downloaded now, with new links.
  public func deliveries() async throws -> [ContentDelivery] {
    struct Answer: Decodable { let deliveries: [ContentDelivery] }
    return try await read(Answer.self, HTTPCall("GET", endpoints.app.appending(path: "deliveries"))).deliveries
  }
}
