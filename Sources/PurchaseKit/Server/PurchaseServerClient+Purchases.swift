import Foundation
import HTTPTransport

extension PurchaseServerClient {
  /// A purchase to be redeemed.
  public struct ClaimedPurchase: Hashable, Encodable, Sendable {
    let transactionId: String
    let productId: String?

    /// - Parameters:
    ///   - transactionIdentifier: as the proof has it: the original's for what is restored or bought again.
    ///   - productIdentifier: what it must be of; nil for whatever it is.
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

  /// Has purchases verified, and gets what they give (G3).
  ///
  /// - Returns: what came of each, also where all were refused.
  /// - Throws: ``PurchaseServerError``; `refused` where the proof itself was.
  public func redeem(_ proof: StoreProof, _ purchases: [ClaimedPurchase]) async throws -> ServerRedemption {
    try await redemption(
      doors.post(RedemptionMessage(proof: .init(proof), purchases: purchases), to: "redemptions"))
  }

  /// The same, of one customer and of nobody else.
  ///
  /// - Throws: ``OtherCustomer``, also where the server has just joined the customer to another one; ``PurchaseServerError``.
  func redeem(
    _ proof: StoreProof, _ purchases: [ClaimedPurchase], as customer: UUID
  ) async throws -> ServerRedemption {
    let message = RedemptionMessage(proof: .init(proof), purchases: purchases)
    let asked = successor(of: customer)
    let (reply, bearer) = try await answer(to: doors.post(message, to: "redemptions"), as: customer)
    let redemption = try Self.redemption(in: reply)
    try await becomes(redemption.customer, bearer)
    guard redemption.customer == asked else { throw OtherCustomer() }
    return redemption
  }

  /// Has everything that lasts given again.
  public func restore(_ proof: StoreProof) async throws -> ServerRedemption {
    try await redemption(doors.post(RestoreMessage(proof: .init(proof)), to: "restores"))
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
      // Refused as a whole, it says of each purchase why all the same.
      let anyStatus = HTTPReply(head: HTTPReplyHead(status: 200), body: reply.body)
      guard (400..<500).contains(reply.status),
        let refused = try? ServerEndpoints.decoded(ServerRedemption.self, from: anyStatus)
      else { throw error }
      return refused
    }
  }

  /// What the customer has and had, by the server's books (F3).
  public func entitlements() async throws -> [ServerEntitlement] {
    struct Answer: Decodable { let entitlements: [ServerEntitlement] }
    return try await read(Answer.self, HTTPCall("GET", doors.app.appending(path: "entitlements"))).entitlements
  }

  /// What can be downloaded now, with new links.
  public func deliveries() async throws -> [ContentDelivery] {
    struct Answer: Decodable { let deliveries: [ContentDelivery] }
    return try await read(Answer.self, HTTPCall("GET", doors.app.appending(path: "deliveries"))).deliveries
  }
}
