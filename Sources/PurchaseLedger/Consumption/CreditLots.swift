/// Computes which credits of an account were spent: the oldest first. It is fed with the account's movements in their order.
///
/// - Each purchase and each grant adds a lot. Spends and negative grants take from the oldest lots.
/// - A refund takes from its own purchase. What was spent of it is taken from the oldest other lots; what is missing then is a debt,
///   which later credits pay first.
/// - A reversal gives the credits back to the purchase, as its newest lot. Written-off credits (`shortfall`) reduce the debt.
///
/// Only purchases of interest have lots of their own; neighbouring lots of others are one. So memory is proportional to the number
/// of those purchases, and time to the number of movements.
struct CreditLots {
  /// What became of the credits of a purchase.
  struct Purchase: Hashable {
    var given: Int64 = 0
    /// Taken by refunds before it was spent.
    var returned: Int64 = 0
    var left: Int64 = 0

    var spent: Int64 { given - returned - left }
  }

  private struct Separate {
    var purchase = Purchase()
    /// The places of its lots, the newest last. Empty ones are removed when they are met.
    var places: [Int] = []
  }

  private struct Lot {
    var left: Int64
    /// The key of its purchase; nil for a lot of others.
    let key: String?
  }

  private var lots: [Lot] = []
  /// The lots before this place are empty.
  private var first = 0
  private var separate: [String: Separate]
  /// Credits that were refunded after they had been spent, and are not paid off. Then all lots are empty.
  private var debt: Int64 = 0

  /// - Parameter keys: the keys of the purchases that have lots of their own: all whose credits are asked for, and all with refunds.
  init(separating keys: Set<String>) { separate = Dictionary(uniqueKeysWithValues: keys.map { ($0, Separate()) }) }

  /// Nil if the purchase has no lots of its own.
  func purchase(_ key: String) -> Purchase? { separate[key]?.purchase }

  /// Returns the key of the purchase that a refund is about.
  ///
  /// - Parameter key: the key of a movement with the cause `refund`, or of its reversal or shortfall.
  static func purchaseKey(ofRefund key: String) -> String {
    key.lastIndex(of: "@").map { String(key[..<$0]) } ?? key
  }

  mutating func add(_ cause: CreditMovement.Cause, key: String, amount: Int64) {
    switch cause {
    case .purchase:
      separate[key]?.purchase.given += amount
      give(amount, to: separate[key] == nil ? nil : key)
    case .grant: amount > 0 ? give(amount, to: nil) : take(-amount)
    case .spend: take(-amount)
    case .refund:
      let key = Self.purchaseKey(ofRefund: key)
      let direct = take(atMost: -amount, from: key)
      separate[key]?.purchase.returned += direct
      take(-amount - direct)
    case .shortfall: debt -= min(debt, amount)
    case .refundReversed:
      let key = Self.purchaseKey(ofRefund: key)
      if let returned = separate[key]?.purchase.returned {
        separate[key]?.purchase.returned = returned - min(returned, amount)
      }
      give(amount, to: separate[key] == nil ? nil : key)
    case .shortfallReversed:
      // These credits of the purchase were spent.
      take(-amount - take(atMost: -amount, from: Self.purchaseKey(ofRefund: key)))
    }
  }

  private mutating func give(_ amount: Int64, to key: String?) {
    let paid = min(debt, amount)
    debt -= paid
    guard amount > paid else { return }
    if let key {
      separate[key]?.purchase.left += amount - paid
      separate[key]?.places.append(lots.count)
    } else if let last = lots.last, last.key == nil, lots.count > first {
      lots[lots.count - 1].left += amount - paid
      return
    }
    lots.append(Lot(left: amount - paid, key: key))
  }

  /// Takes from the oldest lots; what is missing is a debt.
  private mutating func take(_ amount: Int64) {
    var rest = amount
    while rest > 0, first < lots.count {
      rest -= take(atMost: rest, at: first)
      if lots[first].left == 0 { first += 1 }
    }
    debt += rest
  }

  /// Takes from the lots of one purchase, the newest first.
  ///
  /// - Returns: how much was taken.
  private mutating func take(atMost amount: Int64, from key: String) -> Int64 {
    var taken: Int64 = 0
    while taken < amount, let place = separate[key]?.places.last {
      taken += take(atMost: amount - taken, at: place)
      if lots[place].left == 0 { separate[key]?.places.removeLast() }
    }
    return taken
  }

  private mutating func take(atMost amount: Int64, at place: Int) -> Int64 {
    let taken = min(amount, lots[place].left)
    lots[place].left -= taken
    if let key = lots[place].key { separate[key]?.purchase.left -= taken }
    return taken
  }
}
