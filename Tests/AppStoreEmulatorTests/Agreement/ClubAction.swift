import Foundation
import StoreModel

@testable import AppStoreEmulator

/// An action of a customer, of the store's operator or of the developer's server.
enum ClubAction {
  case advance(seconds: Int64)
  case toNextEvent
  /// A purchase outside the app, with or without an offer.
  case order(ClubPurchase)
  /// A purchase in the app.
  case buyInApp(ClubPurchase, asks: Bool)
  case decideApproval(isApproved: Bool)
  case finish(Person, ClubChoice)
  case autoRenew(Person, ClubChoice, isOn: Bool)
  case pay(Person, isPossible: Bool)
  case sell(ProductID, isOnSale: Bool)
  case announceIncrease(Person, ClubChoice, needsConsent: Bool)
  case answerIncrease(Person, ClubChoice, isAgreed: Bool)
  case refund(Person, ClubChoice, reason: Int, percentage: Int)
  case reverseRefund(Person, ClubChoice)
  case requestRefund(Person, ClubChoice, ConsumptionReason)
  case decideRequest(ClubChoice, isGranted: Bool)
  case extend(Person, ClubChoice, days: Int)
  case extendAll(StoreEnvironment, ProductID, days: Int, UUID)
  case setToken(Person, ClubChoice, UUID)
  case family(isMember: Bool)

  enum ConsumptionReason: String, CaseIterable {
    case unintended = "UNINTENDED_PURCHASE"
    case fulfillment = "FULFILLMENT_ISSUE"
    case unsatisfied = "UNSATISFIED_WITH_PURCHASE"
    case legal = "LEGAL"
    case other = "OTHER"
  }

  /// Chooses what happens next.
  static func random(_ generator: inout SeededGenerator, _ model: ClubModel) -> ClubAction {
    func chance(_ count: UInt64) -> UInt64 { generator.next() % count }
    func flip() -> Bool { chance(2) == 0 }
    let person = Person.all[Int(chance(5)) % 3]
    let choice = ClubChoice(number: chance(1 << 32))
    let days = Int(1 + chance(9))
    switch chance(32) {
    case 0...3: return .advance(seconds: Int64(1 + chance(4 * 86_400)))
    case 4: return .advance(seconds: Int64(1 + chance(25 * 86_400)))
    case 5...8: return .toNextEvent
    case 9...13: return .order(purchase(person, &generator, model, hasOffer: chance(3) == 0))
    case 14...15: return .buyInApp(purchase(person, &generator, model, hasOffer: false), asks: chance(4) == 0)
    case 16: return .decideApproval(isApproved: chance(4) > 0)
    case 17: return .finish(person, choice)
    case 18: return .autoRenew(person, choice, isOn: flip())
    case 19: return .autoRenew(person, choice, isOn: true)
    case 20...21: return .pay(person, isPossible: chance(3) > 0)
    case 22: return .sell(ClubCatalog.plans[Int(chance(6))].id, isOnSale: chance(4) > 0)
    case 23: return .announceIncrease(person, choice, needsConsent: flip())
    case 24: return .answerIncrease(person, choice, isAgreed: flip())
    case 25: return .refund(person, choice, reason: Int(chance(2)), percentage: flip() ? 100_000 : 25_000)
    case 26: return .reverseRefund(person, choice)
    case 27: return .requestRefund(person, choice, ConsumptionReason.allCases[Int(chance(5))])
    case 28: return .decideRequest(choice, isGranted: flip())
    case 29:
      guard chance(3) == 0 else { return .extend(person, choice, days: days) }
      return .extendAll(
        person.environment, ClubCatalog.plans[Int(chance(6))].id, days: days, .version4(from: &generator))
    case 30: return .setToken(person, choice, .version4(from: &generator))
    default: return .family(isMember: chance(3) > 0)
    }
  }

  private static func purchase(
    _ person: Person, _ generator: inout SeededGenerator, _ model: ClubModel, hasOffer: Bool
  ) -> ClubPurchase {
    func chance(_ count: UInt64) -> UInt64 { generator.next() % count }
    let token = chance(3) == 0 ? UUID.version4(from: &generator) : nil
    guard hasOffer || chance(3) > 0 else {
      let product = ClubCatalog.oneTimeProducts[Int(chance(5))]
      return ClubPurchase(
        person: person, product: product.productID, quantity: product.type.allowsQuantity ? Int(1 + chance(3)) : 1,
        token: token, unitPrice: product.price.rawValue)
    }
    let plan = ClubCatalog.plans[Int(chance(6))]
    var purchase = ClubPurchase(person: person, product: plan.id, token: token, unitPrice: model.price(plan.id))
    let offers = plan.offers.filter { $0.kind != .introductory }
    if hasOffer, !offers.isEmpty {
      let offer = offers[Int(chance(UInt64(offers.count)))]
      purchase.offer = PaymentOffer(kind: offer.kind, identifier: offer.identifier ?? "")
    }
    return purchase
  }
}

/// A choice among things whose number is not known yet.
struct ClubChoice {
  let number: UInt64

  func callAsFunction<Element>(_ elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[Int(number % UInt64(elements.count))]
  }
}
