import Foundation

/// A purchase to be redeemed at the server, now or later (G4), and the proof of it.
struct RedeemablePurchase: Hashable, Sendable {
  let transactionIdentifier: String
  let productIdentifier: String
  /// When it was bought; of several purchases of a product the newest counts.
  let date: Date
  let proof: StoreProof
}
