import ControlAPI
import Foundation
import SampleApp
import StoreModel

/// The store's charges and refunds of each product, and the devices' grants.
struct DemoAccounts: Hashable, Sendable {
  /// The records of one product.
  struct Line: Hashable, Sendable {
    var charges = 0
    var charged: [Price] = []
    var refunds = 0
    /// The number of charges for which a device was granted the product. Restored and redelivered purchases have no
    /// charge.
    var grants = 0
    /// The grants of purchases that cost nothing.
    var freeGrants = 0
  }

  /// A charge, a refund, or the reversal of a refund.
  private struct Record: Hashable, Sendable {
    let transaction: String
    let product: String
    /// Negative for the reversal of a refund.
    let price: Price
  }

  private var charges: [Record] = []
  private var refunds: [Record] = []
  /// The ids of the transactions for which a device was granted a product.
  private var granted: Set<String> = []
  /// The product of each granted transaction that cost nothing, by the transaction's id.
  private var free: [String: String] = [:]

  /// The products with a charge or a grant, and their records, in the order of the products' ids.
  var lines: [(product: String, line: Line)] {
    var lines: [String: Line] = [:]
    for charge in charges {
      lines[charge.product, default: Line()].charges += 1
      lines[charge.product]?.charged.append(charge.price)
      if granted.contains(charge.transaction) { lines[charge.product]?.grants += 1 }
    }
    for refund in refunds { lines[refund.product, default: Line()].refunds += refund.price.amount < .zero ? -1 : 1 }
    for product in free.values { lines[product, default: Line()].freeGrants += 1 }
    return lines.sorted { $0.key < $1.key }.map { (product: $0.key, line: $0.value) }
  }

  /// Sets all charges and refunds of the store.
  mutating func set(_ charges: [ChargeView], _ refunds: [RefundView]) {
    self.charges = charges.map {
      Record(
        transaction: $0.transactionId.rawValue, product: $0.productId.rawValue,
        price: Price(amount: $0.amount, currency: $0.currency))
    }
    self.refunds = refunds.map {
      Record(
        transaction: $0.transactionId.rawValue, product: $0.productId.rawValue,
        price: Price(amount: $0.amount, currency: $0.currency))
    }
  }

  /// Notes that a device was granted a product for a transaction. Each transaction counts once. If the app ends before it
  /// finishes a transaction, the transaction is delivered again with the same id, and the app reports the grant again.
  mutating func granted(_ product: String, for transaction: String, isFree: Bool) {
    granted.insert(transaction)
    if isFree { free[transaction] = product }
  }
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
