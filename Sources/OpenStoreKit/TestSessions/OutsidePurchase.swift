import StoreModel

/// A purchase that a test session makes outside of the app, from the options of the app's purchases.
package struct OutsidePurchase: Hashable, Sendable {
  package private(set) var quantity = 1
  /// The app account token.
  package private(set) var applicationUsername: String?
  package private(set) var offer: PaymentOffer?
  /// The date of the purchase; nil for now.
  package private(set) var date: StoreDate?
  /// Whether a subscription renews.
  package private(set) var renews = true

  /// Reads the options. Those that concern only a confirmation in the app have no effect.
  package init(_ options: Set<Product.PurchaseOption> = []) {
    for option in options {
      switch option.kind {
      case .quantity(let number): quantity = number
      case .appAccountToken(let token): applicationUsername = token.uuidString
      case .promotional(let promotional): offer = promotional
      case .unsignedPromotional(let id): offer = PaymentOffer(kind: .promotional, identifier: id)
      case .codeOffer(let name): offer = PaymentOffer(kind: .offerCode, identifier: name)
      case .winBack(let id): offer = PaymentOffer(kind: .winBack, identifier: id)
      case .purchaseDate(let date, let renews): (self.date, self.renews) = (StoreDate(date), renews)
      case .custom, .storefrontChange, .askToBuy, .introductory, .billingPlan: break
      }
    }
  }
}
