import StoreModel

extension PurchasePrice {
  /// The part that was refunded, rounded down.
  ///
  /// - Parameter percentage: thousandths of a percent, 0 to 100,000.
  func refunded(_ percentage: Int64) -> Int64 { Percentage.share(Int(percentage), of: milliunits) }
}

/// A period of a subscription that charts count: redeemed, bought by its owner, and a second long or longer.
struct ChartPeriod: Hashable, Sendable {
  /// What the store has refunded of it.
  struct Refund: Hashable, Sendable {
    /// Nil if the store has not said it.
    let date: StoreDate?
    /// Thousandths of a percent.
    let percentage: Int64
  }

  let claim: TransactionID
  let purchased: StoreDate
  /// The expiration date, without a grace period.
  let accessUntil: StoreDate
  /// Nil if it is unknown.
  let price: PurchasePrice?
  let refund: Refund?
  /// The end of the grace period after this period; nil if there is none.
  let graceUntil: StoreDate?

  /// The shortest period that counts, in milliseconds. A plan that was replaced in the second of its purchase is shorter.
  static let shortestMilliseconds: Int64 = 1_000
  /// The longest grace period that counts, in milliseconds: 60 days. So a page of periods need not begin earlier than that.
  static let longestGraceMilliseconds: Int64 = 60 * 86_400_000

  /// When access ends: after a grace period, or at the refund.
  var ends: StoreDate {
    let longest = accessUntil.adding(milliseconds: Self.longestGraceMilliseconds)
    let end = max(accessUntil, min(graceUntil ?? accessUntil, longest))
    guard let refund else { return end }
    return min(end, refund.date ?? purchased)
  }

  func isActive(at moment: StoreDate) -> Bool { purchased <= moment && moment < ends }

  /// The part of an amount that belongs to the time between two dates, if the amount is spread over the period. The parts of
  /// adjacent times add up to the part of both.
  func part(of amount: Int64, from start: StoreDate, until end: StoreDate) -> Int64 {
    passedPart(of: amount, at: end) - passedPart(of: amount, at: start)
  }

  /// The part of an amount that belongs to the time before a date, rounded down.
  private func passedPart(of amount: Int64, at date: StoreDate) -> Int64 {
    let length = accessUntil.millisecondsSince1970 - purchased.millisecondsSince1970
    let passed = min(max(date.millisecondsSince1970 - purchased.millisecondsSince1970, 0), length)
    // The product can have more than 64 bits.
    return length.dividingFullWidth(amount.multipliedFullWidth(by: passed)).quotient
  }
}
