import Foundation
import PurchaseLedger
import StoreModel

/// A spend as customers see it: the movement, and the incarnation that its number belongs to.
struct SpendView: Encodable {
  private let spend: CreditSpend

  init(_ spend: CreditSpend) { self.spend = spend }

  private enum CodingKeys: CodingKey { case incarnation }

  func encode(to encoder: any Encoder) throws {
    try spend.movement.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(spend.incarnation, forKey: .incarnation)
  }
}
