import Foundation
import OpenStoreKit
import StoreKit

// The options of purchases that only tests have.
extension Product.PurchaseOption {
  /// What a subscription that was bought in the past does until now. Implements Apple's enum of this name.
  public enum SubscriptionRenewalBehavior: Codable, Hashable, Sendable {
    /// It has renewed at the end of each period.
    case renewUntilNow
    /// Automatic renewal was turned off at once, so that it has one period.
    case cancelImmediately
  }

  /// A promotional offer of the file, without the developer's signature.
  public static func promotionalOffer(id: String) -> Product.PurchaseOption { .unsignedPromotional(offerID: id) }

  /// An offer code of the file.
  public static func codeOffer(referenceName: String) -> Product.PurchaseOption {
    .offerCode(referenceName: referenceName)
  }

  /// The date of a purchase that a test session makes. A date in the future is refused, and so is this option in
  /// `Product.purchase(options:)`.
  public static func purchaseDate(
    _ date: Date, renewalBehavior: SubscriptionRenewalBehavior = .renewUntilNow
  ) -> Product.PurchaseOption { .date(date, renews: renewalBehavior == .renewUntilNow) }
}
