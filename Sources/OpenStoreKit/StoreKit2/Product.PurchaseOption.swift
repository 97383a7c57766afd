import Foundation
import StoreModel

extension Product {
  /// A parameter of a purchase. Options are equal if their contents are. Implements Apple's `Product.PurchaseOption`.
  ///
  /// If several options of a set contradict each other, the last one in the order of ``Kind`` counts.
  public struct PurchaseOption: Equatable, Hashable, Sendable, CustomDebugStringConvertible {
    enum Kind: Hashable, Sendable {
      case appAccountToken(UUID)
      case quantity(Int)
      case custom(key: String, CustomValue)
      case storefrontChange(StorefrontChange)
      case askToBuy(Bool)
      case promotional(PaymentOffer)
      case introductory(compactJWS: String)
      case winBack(offerID: String)
      case billingPlan(SubscriptionInfo.BillingPlanType)
      /// Of StoreKitTest: a promotional offer that needs no signature.
      case unsignedPromotional(offerID: String)
      /// Of StoreKitTest: an offer code by its reference name.
      case codeOffer(referenceName: String)
      /// Of StoreKitTest: only a test session can buy with an earlier date.
      case purchaseDate(Date, renews: Bool)
    }

    enum CustomValue: Hashable, Sendable {
      case string(String)
      case number(Double)
      case bool(Bool)
      case data(Data)
    }

    /// The closure of an option. Each option has a closure of its own, so options with closures are compared by identity.
    final class StorefrontChange: Hashable, Sendable {
      let shouldContinue: @Sendable (Storefront) -> Bool

      init(_ shouldContinue: @escaping @Sendable (Storefront) -> Bool) { self.shouldContinue = shouldContinue }

      static func == (left: StorefrontChange, right: StorefrontChange) -> Bool { left === right }
      func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    let kind: Kind

    private init(_ kind: Kind) { self.kind = kind }

    public var debugDescription: String {
      switch kind {
      case .appAccountToken(let token): "appAccountToken: \(token)"
      case .quantity(let quantity): "quantity: \(quantity)"
      case .custom(let key, let value): "custom \(key): \(value)"
      case .storefrontChange: "onStorefrontChange"
      case .askToBuy(let isSimulated): "simulatesAskToBuyInSandbox: \(isSimulated)"
      case .promotional(let offer): "promotionalOffer: \(offer.identifier)"
      case .introductory: "introductoryOfferEligibility"
      case .winBack(let offer): "winBackOffer: \(offer)"
      case .billingPlan(let plan): "billingPlanType: \(plan.rawValue)"
      case .unsignedPromotional(let offer): "promotionalOffer: \(offer)"
      case .codeOffer(let name): "codeOffer: \(name)"
      case .purchaseDate(let date, let renews):
        "purchaseDate: \(date), \(renews ? "renewUntilNow" : "cancelImmediately")"
      }
    }

    /// The app's name for its user, which the transaction contains.
    public static func appAccountToken(_ token: UUID) -> PurchaseOption { PurchaseOption(.appAccountToken(token)) }

    /// 1 to 10. More than 1 for consumables and non-renewing subscriptions only.
    public static func quantity(_ quantity: Int) -> PurchaseOption { PurchaseOption(.quantity(quantity)) }

    /// Has no effect, as for most apps on Apple's platforms.
    public static func custom(key: String, value: String) -> PurchaseOption {
      PurchaseOption(.custom(key: key, .string(value)))
    }

    /// Has no effect, as for most apps on Apple's platforms.
    public static func custom(key: String, value: Double) -> PurchaseOption {
      PurchaseOption(.custom(key: key, .number(value)))
    }

    /// Has no effect, as for most apps on Apple's platforms.
    public static func custom(key: String, value: Bool) -> PurchaseOption {
      PurchaseOption(.custom(key: key, .bool(value)))
    }

    /// Has no effect, as for most apps on Apple's platforms.
    public static func custom(key: String, value: Data) -> PurchaseOption {
      PurchaseOption(.custom(key: key, .data(value)))
    }

    /// Decides whether the purchase continues if the storefront has changed since the customer confirmed it. Without this
    /// option, it continues.
    public static func onStorefrontChange(
      shouldContinuePurchase: @escaping @Sendable (Storefront) -> Bool
    ) -> PurchaseOption {
      PurchaseOption(.storefrontChange(StorefrontChange(shouldContinuePurchase)))
    }

    /// Whether the purchase waits for a parent's approval. Sandbox only.
    public static func simulatesAskToBuyInSandbox(_ simulateAskToBuy: Bool) -> PurchaseOption {
      PurchaseOption(.askToBuy(simulateAskToBuy))
    }

    /// A promotional offer with the developer's signature as a compact JWS.
    ///
    /// - Returns: an array of one option, as Apple's.
    public static func promotionalOffer(_ offerID: String, compactJWS: String) -> [PurchaseOption] {
      [PurchaseOption(.promotional(PaymentOffer(kind: .promotional, identifier: offerID, compactJWS: compactJWS)))]
    }

    /// The older form of ``promotionalOffer(_:compactJWS:)``.
    public static func promotionalOffer(
      offerID: String, signature: SubscriptionOffer.Signature
    ) -> PurchaseOption {
      promotionalOffer(
        offerID: offerID, keyID: signature.keyID, nonce: signature.nonce, signature: signature.signature,
        timestamp: signature.timestamp)
    }

    /// The older form of ``promotionalOffer(_:compactJWS:)``.
    public static func promotionalOffer(
      offerID: String, keyID: String, nonce: UUID, signature: Data, timestamp: Int
    ) -> PurchaseOption {
      let signed = OfferSignature(
        keyID: keyID, nonce: nonce.uuidString.lowercased(), timestamp: Int64(timestamp),
        signature: signature.base64EncodedString())
      return PurchaseOption(
        .promotional(PaymentOffer(kind: .promotional, identifier: offerID, signature: signed)))
    }

    /// The developer's signed statement whether the customer may have the introductory offer. It replaces the store's own
    /// rule.
    public static func introductoryOfferEligibility(compactJWS: String) -> PurchaseOption {
      PurchaseOption(.introductory(compactJWS: compactJWS))
    }

    /// A win-back offer of the product.
    public static func winBackOffer(_ offer: SubscriptionOffer) -> PurchaseOption {
      PurchaseOption(.winBack(offerID: offer.id ?? ""))
    }

    /// How the subscription is charged. Only `.upFront` is sold: another plan throws ``StoreKitError/unsupported``.
    public static func billingPlanType(_ type: SubscriptionInfo.BillingPlanType) -> PurchaseOption {
      PurchaseOption(.billingPlan(type))
    }
  }
}

// The options of StoreKitTest, which declares Apple's names for them.
extension Product.PurchaseOption {
  package static func unsignedPromotional(offerID: String) -> Self { Self(.unsignedPromotional(offerID: offerID)) }

  package static func offerCode(referenceName: String) -> Self { Self(.codeOffer(referenceName: referenceName)) }

  /// - Parameter renews: whether a subscription renews until now.
  package static func date(_ date: Date, renews: Bool) -> Self { Self(.purchaseDate(date, renews: renews)) }
}
