import Foundation
import PurchaseKit
import SampleModel
import StoreModel

extension AppPresenter {
  func club() throws -> ClubView {
    let model = app.club
    let membership = try model.membership()
    return ClubView(
      membership: membership, planName: (membership.plan ?? membership.lastPlan).map(model.title) ?? "",
      lessons: model.lessons(for: membership), headline: model.headline,
      plans: model.productIdentifiers.map { plan($0, membership) },
      canRestore: model.canRestore)
  }

  private func plan(_ plan: String, _ membership: ClubModel.Membership) -> ShopItem {
    let (model, button) = (app.club, app.club.button(for: plan))
    let price = model.priceText(of: plan, for: membership)
    let text = [model.text(of: plan), price].filter { !$0.isEmpty }.joined(separator: ": ")
    let subscription = clubSubscription
    let isCurrent = membership.plan == plan
    // The current plan can be bought only to cancel a change of plan.
    let isFinal = isCurrent && (subscription.map { $0.productID == $0.renewalProductID } ?? true)
    let isNext = !isCurrent && subscription?.hasAccess == true && subscription?.renewalProductID.rawValue == plan
    let title = isFinal ? "Your plan" : isNext ? "Begins next" : isCurrent ? "Keep" : button.title(asPlanOf: membership)
    return ShopItem(
      product: plan, title: model.title(of: plan), text: text, button: title,
      isEnabled: !isFinal && !isNext && button.isEnabled, act: .buy(offersQuantity: false))
  }

  private var clubSubscription: SubscriptionSummary? {
    guard case .success(let overview) = app.subscriptions.value else { return nil }
    return overview.subscriptions.first { SampleCatalog.clubPlans.contains($0.productID.rawValue) }
  }

  func subscriptions() -> SubscriptionsView {
    switch app.subscriptions.value {
    case nil: return SubscriptionsView(items: [], problem: "The App Store is being asked.")
    case .failure(let refusal as StoreRefusal): return SubscriptionsView(items: [], problem: refusal.message)
    case .failure:
      return SubscriptionsView(items: [], problem: "The App Store cannot be reached. Try again later.")
    case .success(let overview): return SubscriptionsView(items: overview.subscriptions.map(item), problem: nil)
    }
  }

  func purchases() -> PurchasesView { PurchasesView(items: app.purchases.value) }

  func appStore() -> AppStoreView {
    var (listing, problem): (AppStoreListing?, String?) = (nil, nil)
    switch app.appStore.value {
    case .success(let found): listing = found
    case .failure(let error): problem = error.purchaseAlert(SampleCatalog.customerNames) ?? "\(error)"
    case nil: break
    }
    return AppStoreView(
      installation: app.device.installationID.rawValue, listing: listing, problem: problem,
      winBackOffers: subscriptions().items.flatMap(\.winBackOffers))
  }

  private func item(_ subscription: SubscriptionSummary) -> SubscriptionsView.Item {
    SubscriptionsView.Item(
      subscription: subscription, name: name(of: subscription.productID.rawValue),
      renewalName: name(of: subscription.renewalProductID.rawValue), price: Self.text(subscription.renewalPrice),
      priceToAgree: subscription.priceToAgree.map(Self.text),
      winBackOffers: subscription.winBackOffers.map { winBack in
        let (offer, product) = (winBack.offer, winBack.productID.rawValue)
        let text = Price(amount: offer.price, currency: subscription.renewalPrice.currency).text(of: offer)
        return SubscriptionsView.WinBack(
          product: product, offer: offer.identifier ?? "", text: "\(name(of: product)): \(text)")
      })
  }

  private static func text(_ price: Price) -> String { price.formatted(locale: Locale(identifier: "en_US")) }

  private func name(of plan: String) -> String { app.club.title(of: plan) }
}

extension ClubModel.Membership {
  /// The plan of a membership that has ended.
  fileprivate var lastPlan: String? {
    switch self {
    case .ended(let plan, _), .refunded(let plan, _): plan
    case .unknown, .none, .member, .gracePeriod: nil
    }
  }
}

extension PurchaseButton {
  /// The title of the button that buys a plan: "Change" for a member of the club, "Join" for other
  /// customers. A disabled button keeps its title.
  fileprivate func title(asPlanOf membership: ClubModel.Membership) -> String {
    guard isEnabled else { return title }
    return membership.plan == nil ? "Join" : "Change"
  }
}
