import ControlAPI
import Foundation
import SampleApp
import StoreModel

/// What the store has charged and refunded, and what the devices were granted for it.
struct DemoAccounts: Hashable, Sendable {
  /// The records of one product.
  struct Line: Hashable, Sendable {
    var charges = 0
    var charged: [Price] = []
    var refunds = 0
    /// The purchases that a device was granted. Restored purchases and purchases that are delivered again do not count.
    var grants = 0
  }

  private var records: [String: Line] = [:]
  private var grants: [String: Int] = [:]

  /// The products with a charge or a grant, and their records, in the order of the products' ids.
  var lines: [(product: String, line: Line)] {
    Set(records.keys).union(grants.keys).sorted().map { product in
      var line = records[product] ?? Line()
      line.grants = grants[product] ?? 0
      return (product, line)
    }
  }

  /// Sets all charges and refunds of the store.
  mutating func set(_ charges: [ChargeView], _ refunds: [RefundView]) {
    records = [:]
    for charge in charges {
      records[charge.productId.rawValue, default: Line()].charges += 1
      records[charge.productId.rawValue]?.charged.append(Price(amount: charge.amount, currency: charge.currency))
    }
    // A reversed refund has a negative amount.
    for refund in refunds {
      records[refund.productId.rawValue, default: Line()].refunds += refund.amount < .zero ? -1 : 1
    }
  }

  /// Counts a product that a device was granted for a purchase.
  mutating func granted(_ product: String) { grants[product, default: 0] += 1 }
}

extension DemoAccounts.Line {
  /// The sum of the charges in each currency, such as `$7.96`.
  var total: String {
    let sums = Dictionary(grouping: charged, by: \.currency).mapValues { prices in
      prices.reduce(Decimal(0)) { $0 + $1.amount.decimal }
    }
    return sums.sorted { $0.key < $1.key }.map { currency, sum in
      sum.formatted(.currency(code: currency).locale(Locale(identifier: "en_US")))
    }.joined(separator: ", ")
  }
}
