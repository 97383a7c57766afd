import Foundation
import PurchaseKit

/// The model of the photo club's screen: the customer's membership, the lessons that it includes, and the plans.
///
/// Must be used on the main queue.
public final class ClubModel: RestoringScreen, @unchecked Sendable {
  private let entitlements: EntitlementManager
  private let offerings: OfferingList?

  /// The end of the grace period; nil if the subscription has no grace period now. Receipts do not contain this date, so it
  /// is needed with StoreKit 1 only. The sample app reads it from the phone's settings; other apps would
  /// request it from the developer's server.
  public var graceEnd: Date?

  /// - Parameters:
  ///   - entitlements: records the membership. Its names must have ``SampleCatalog/clubEntitlement``.
  ///   - offerings: the server's offerings. The screen shows the plans of the current one. Nil for all built-in plans.
  public init(
    manager: InAppPurchaseManager, entitlements: EntitlementManager, offerings: OfferingList? = nil,
    notifications: NotificationCenter = .default
  ) {
    self.entitlements = entitlements
    self.offerings = offerings
    super.init(productIdentifiers: [], manager: manager, notifications: notifications)
    productIdentifiers = shownPlans
  }

  public override func appear() {
    productIdentifiers = shownPlans
    super.appear()
  }

  /// Must be called after the offerings were refreshed. Shows the plans of the current offering.
  public func offeringsChanged() {
    productIdentifiers = shownPlans
    manager.requestMissingProductData(Set(productIdentifiers))
    didChange()
  }

  /// The plans of the current offering that this version of the app knows, in the offering's order. They are followed by plans that
  /// the customer has, so that the screen can show them. All built-in plans if the offering has none of them.
  private var shownPlans: [String] {
    let offered = offeredPlans
    guard !offered.isEmpty else { return SampleCatalog.clubPlans }
    let owned = Set(entitlements.entitlements.filter { $0.revocationDate == nil }.map(\.productIdentifier))
    return offered + SampleCatalog.clubPlans.filter { owned.contains($0) && !offered.contains($0) }
  }

  private var offeredPlans: [String] {
    (offerings?.currentOffering?.products ?? []).filter(SampleCatalog.clubPlans.contains)
  }

  /// The text above the plans, from the current offering's metadata; nil if there is none, or if the plans are not the offering's.
  public var headline: String? {
    offeredPlans.isEmpty ? nil : offerings?.currentOffering?.metadata.text(SampleCatalog.offeringHeadline)
  }

  override func moreHandlers() -> Handlers {
    super.moreHandlers() + [
      (
        .EntitlementManagerEntitlementsChangedNotification, entitlements,
        { [weak self] _ in self?.changedElsewhere() }
      )
    ]
  }

  // MARK: The membership

  /// The customer's membership of the club.
  public enum Membership: Hashable, Sendable {
    /// No receipt was read yet. The screen shows no offer for new members.
    case unknown
    case none
    case member(plan: String, until: Date)
    /// The renewal could not be charged. The customer keeps access for some time.
    case gracePeriod(plan: String, until: Date)
    case ended(plan: String, since: Date)
    case refunded(plan: String, since: Date)

    /// The plan that gives access now; nil for no access.
    public var plan: String? {
      switch self {
      case .member(let plan, _), .gracePeriod(let plan, _): plan
      case .unknown, .none, .ended, .refunded: nil
      }
    }
  }

  /// Returns the customer's membership, from the stored entitlements and ``graceEnd``.
  ///
  /// - Throws: an error of the vault if the vault cannot store the current time.
  public func membership() throws -> Membership {
    switch try entitlements.subscriptionState(ofNamed: SampleCatalog.clubEntitlement) {
    case .unknown: return .unknown
    case .none: return .none
    case .active(let plan, let until): return .member(plan: plan, until: until)
    case .inGracePeriod(let plan, let until): return .gracePeriod(plan: plan, until: until)
    case .expired(let plan, let since), .inBillingRetry(let plan, let since):
      guard let graceEnd, graceEnd > since else { return .ended(plan: plan, since: since) }
      return .gracePeriod(plan: plan, until: graceEnd)
    case .revoked(let plan, let since): return .refunded(plan: plan, since: since)
    }
  }

  /// A lesson of the club.
  public struct Lesson: Hashable, Sendable {
    public let title: String
    /// The text; nil if the membership does not include the lesson.
    public let text: String?
  }

  /// Returns all lessons, with the texts of those that the membership includes.
  public func lessons(for membership: Membership) -> [Lesson] {
    let open = membership.plan.flatMap { SampleCatalog.lessonsForPlan[$0] } ?? 0
    return Self.lessons.enumerated().map { index, lesson in
      Lesson(title: lesson.title, text: index < open ? lesson.text : nil)
    }
  }

  private static let lessons = [
    ("Hold the camera still", "Lean on a branch, breathe out, and press slowly."),
    ("Wait for the light", "An hour after sunrise, every leaf has an edge of gold."),
    ("Ask the teacher", "Send one photograph a week, and read what to try next."),
  ].map { (title: $0.0, text: $0.1) }

  // MARK: The plans

  /// Returns the price of a plan; empty until the product is fetched. If the customer has never been a member, the text
  /// also mentions the plan's free trial.
  public func priceText(of plan: String, for membership: Membership) -> String {
    guard let product = manager.fetchedProducts[plan] else { return "" }
    guard product.price > 0 else { return "free" }
    let period = product.subscriptionPeriod?.text ?? "period"
    let regular = "\(product.displayPrice) a \(period)"
    guard membership == .none, let offer = product.introductoryOffer, offer.paymentMode == .freeTrial else {
      return regular
    }
    return "first \(offer.period.text) free, then \(regular)"
  }

  /// Shows an alert with a text, such as the reason for which the phone refused a change.
  public func report(text: String) { show(text) }
}

extension StorePeriod {
  /// The period in words, such as `month` or `3 months`.
  public var text: String {
    let unit =
      switch unit {
      case .day: "day"
      case .week: "week"
      case .month: "month"
      case .year: "year"
      }
    return value == 1 ? unit : "\(value) \(unit)s"
  }
}
