import Foundation
import OpenStoreKit
import SampleModel
import StoreModel

// The changes of subscriptions that a person makes in the phone's settings. The app itself receives only transactions.
extension RunningApp {
  /// Requests the customer's subscriptions and the store's date from the store.
  @MainActor
  func refreshSubscriptions() async {
    let result: Result<SubscriptionOverview, any Error>
    do {
      result = .success(try await device.subscriptions())
    } catch {
      result = .failure(error)
    }
    subscriptions.value = result
    guard case .success(let overview) = result else { return }
    clock.follow(overview.date)
    let subscription = overview.subscriptions.first { SampleCatalog.clubPlans.contains($0.productID.rawValue) }
    club.graceEnd = subscription?.state == .gracePeriod ? subscription?.accessEnd.date : nil
  }

  @MainActor
  func performOnSubscriptions(_ command: AppCommand) async {
    do {
      switch command {
      case .setAutoRenew(let id, let isOn): try await device.changeSubscription(id, .autoRenew(isOn: isOn))
      case .answerPriceIncrease(let id, let isAgreed):
        try await device.changeSubscription(id, .priceIncrease(isAgreed: isAgreed))
      case .comeBack(let product, let offer):
        _ = try await device.buyInAppStore(ProductID(product), offer: PaymentOffer(kind: .winBack, identifier: offer))
      case .redeem(let code):
        _ = try await device.redeemOfferCode(code, among: SampleCatalog.clubPlans.map(ProductID.init))
      default: return
      }
    } catch let refusal as StoreRefusal {
      club.report(text: refusal.message)
    } catch {
      club.report(text: "\(error)")
    }
    pageChanged()
  }
}
