import StoreModel

/// How a purchase is refunded.
struct RefundOrder: Decodable, Sendable {
  let reason: RevocationReason?
  /// The share of the price, in thousandths of a percent.
  let percentage: Int?
}
