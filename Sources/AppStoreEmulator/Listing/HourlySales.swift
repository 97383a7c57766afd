import StoreModel

/// Sums of charges and refunds for each hour of the store's time.
package struct HourlySales: Hashable, Sendable {
  struct Key: Hashable, Sendable {
    /// The number of hours since 1970.
    let hour: Int64
    /// An ISO 4217 code.
    let currency: String
  }

  struct Sums: Hashable, Sendable {
    /// The number of charges.
    var purchases = 0
    var charged = Milliunits.zero
    /// The refunds minus the reversals of refunds. Negative if more was reversed than refunded.
    var refunded = Milliunits.zero

    static func += (sums: inout Sums, more: Sums) {
      sums.purchases += more.purchases
      sums.charged = sums.charged.addingClamped(more.charged)
      sums.refunded = sums.refunded.addingClamped(more.refunded)
    }
  }

  var sums: [Key: Sums] = [:]
  /// The store's epoch when the rows were read. The sums cannot be continued in another epoch.
  let epoch: StoreEpoch
  /// The numbers of the last charge and the last refund that are included. Rows are only added, never changed, so the
  /// sums can be continued from here.
  var lastCharge: Int64 = 0
  var lastRefund: Int64 = 0
}
