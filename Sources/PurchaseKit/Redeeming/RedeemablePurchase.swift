import Foundation

/// A purchase to be redeemed at the server, now or later, with its proof.
struct RedeemablePurchase: Hashable, Sendable {
  let transactionIdentifier: String
  let productIdentifier: String
  /// The date of purchase. Of several purchases of a product, the newest is used.
  let date: Date
  let proof: StoreProof
}
