/// A purchase to be redeemed, now or later (G4), and the proof of it.
struct KeptRedemption: Hashable, Sendable {
  let transactionIdentifier: String
  let productIdentifier: String
  let proof: StoreProof
}
