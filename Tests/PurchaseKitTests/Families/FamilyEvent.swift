import StoreModel

/// An event in the life of several families that buy in one app.
///
/// A purchase is named by its position among the customer's own purchases and renewals, 0 for the newest. So an event
/// means something in every history, also after earlier events were removed from it.
enum FamilyEvent: Hashable, Sendable, CustomStringConvertible {
  case buys(AccountName, ProductID)
  case renews(AccountName, Bool)
  case canPay(AccountName, Bool)
  case refund(AccountName, purchase: Int)
  case reversal(AccountName, purchase: Int)
  case extends(AccountName, hours: Int64)
  case moves(AccountName, family: String?)
  case time(hours: Int64)

  var description: String {
    switch self {
    case .buys(let name, let product): "\(name) buys \(product)"
    case .renews(let name, let isOn): "\(name) turns renewal \(isOn ? "on" : "off")"
    case .canPay(let name, let isValid): "\(name)'s payment method is \(isValid ? "valid" : "declined")"
    case .refund(let name, let purchase): "\(name)'s purchase \(purchase) is refunded"
    case .reversal(let name, let purchase): "the refund of \(name)'s purchase \(purchase) is reversed"
    case .extends(let name, let hours): "\(name)'s period ends \(hours) hours later"
    case .moves(let name, let family?): "\(name) joins \(family)"
    case .moves(let name, nil): "\(name) leaves the family"
    case .time(let hours): "\(hours) hours pass"
    }
  }
}

enum FamilyHistory {
  static let people: [AccountName] = ["ada", "bob", "cleo", "dan", "eve"]
  static let families = ["north", "south"]

  static func random(seed: UInt64, count: Int) -> [FamilyEvent] {
    var generator = SeededGenerator(seed: seed)
    // Two subscribers become relatives, because a customer with a relative's share cannot subscribe to the group.
    let plans: [ProductID] = ["gold", "silver"]
    let bought = people.prefix(2).map { FamilyEvent.buys($0, plans.randomElement(using: &generator)!) }
    let joined = people.prefix(3).map { FamilyEvent.moves($0, family: families[0]) }
    return bought + joined + (0..<count).map { _ in event(&generator) }
  }

  private static func event(_ generator: inout SeededGenerator) -> FamilyEvent {
    let person = people[Int.random(in: 0..<people.count, using: &generator)]
    let purchase = Int.random(in: 0..<2, using: &generator)
    return switch Int.random(in: 0..<20, using: &generator) {
    case 0...5: .buys(person, FamilyWorld.products.randomElement(using: &generator)!.productID)
    case 6...10: .time(hours: Int64.random(in: 1...600, using: &generator))
    case 11...13:
      .moves(person, family: Bool.random(using: &generator) ? families.randomElement(using: &generator) : nil)
    case 14...15: .refund(person, purchase: purchase)
    case 16: .reversal(person, purchase: purchase)
    case 17: .renews(person, Bool.random(using: &generator))
    case 18: .canPay(person, Bool.random(using: &generator))
    default: .extends(person, hours: Int64.random(in: 1...400, using: &generator))
    }
  }

  /// Returns a part of `events`, in the same order, that still fails, and from which no event can be left out.
  static func shrunk<Event: Sendable>(
    _ events: [Event], while fails: ([Event]) async throws -> Bool
  ) async rethrows -> [Event] {
    var shortest = events
    var size = max(1, shortest.count / 2)
    while true {
      var start = 0
      var hasShrunk = false
      while start < shortest.count {
        let rest = Array(shortest[..<start] + shortest[min(start + size, shortest.count)...])
        if try await fails(rest) {
          (shortest, hasShrunk) = (rest, true)
        } else {
          start += size
        }
      }
      if size == 1, !hasShrunk { return shortest }
      size = max(1, size / 2)
    }
  }
}
