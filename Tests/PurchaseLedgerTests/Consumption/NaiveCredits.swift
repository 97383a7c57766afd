@testable import PurchaseLedger

/// A simple model of an account whose oldest credits are spent first: each credit is an element of a list.
struct NaiveCredits {
  private struct Credit {
    /// The purchase that gave it; nil if an operator did.
    let purchase: String?
  }

  private var credits: [Credit] = []
  private var debt = 0
  private var given: [String: Int] = [:]
  private var returned: [String: Int] = [:]

  var balance: Int { credits.count - debt }

  func spent(of purchase: String) -> Int {
    (given[purchase] ?? 0) - (returned[purchase] ?? 0) - credits.filter { $0.purchase == purchase }.count
  }

  mutating func add(_ movement: CreditMovement) {
    let purchase = movement.key.split(separator: "@").first.map(String.init) ?? ""
    for _ in 0..<Int(abs(movement.amount)) {
      switch movement.cause {
      case .purchase:
        given[purchase, default: 0] += 1
        receive(Credit(purchase: purchase))
      case .grant where movement.amount > 0: receive(Credit(purchase: nil))
      case .grant, .spend: spendOldest()
      case .refund:
        if removeNewest(of: purchase) { returned[purchase, default: 0] += 1 } else { spendOldest() }
      case .refundReversed:
        if returned[purchase, default: 0] > 0 { returned[purchase, default: 0] -= 1 }
        receive(Credit(purchase: purchase))
      case .shortfall: debt -= 1
      case .shortfallReversed: if !removeNewest(of: purchase) { spendOldest() }
      }
    }
  }

  private mutating func receive(_ credit: Credit) {
    if debt > 0 { debt -= 1 } else { credits.append(credit) }
  }

  private mutating func spendOldest() {
    if credits.isEmpty { debt += 1 } else { credits.removeFirst() }
  }

  private mutating func removeNewest(of purchase: String) -> Bool {
    guard let place = credits.lastIndex(where: { $0.purchase == purchase }) else { return false }
    credits.remove(at: place)
    return true
  }
}
