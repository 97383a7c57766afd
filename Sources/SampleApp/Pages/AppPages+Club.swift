import Hummingbird
import StoreModel
import WebSupport

// The forms of the subscriptions in the phone's settings.
extension AppPages {
  struct SubscriptionForm: ScreenForm {
    let subscription: TransactionID
    let on: Bool
    var screen: AppScreen { .subscriptions }
  }

  struct ComeBackForm: ScreenForm {
    let product: String
    let offer: String
    var screen: AppScreen { .subscriptions }
  }

  struct CodeForm: ScreenForm {
    let code: String
    var screen: AppScreen { .subscriptions }
  }

  func addClub(to router: Router<BasicRequestContext>) {
    onCommand("app/subscription/renewal", of: SubscriptionForm.self, in: router) {
      .setAutoRenew($0.subscription, isOn: $0.on)
    }
    onCommand("app/subscription/price", of: SubscriptionForm.self, in: router) {
      .answerPriceIncrease($0.subscription, isAgreed: $0.on)
    }
    onCommand("app/subscription/come-back", of: ComeBackForm.self, in: router) {
      .comeBack(product: $0.product, offer: $0.offer)
    }
    onCommand("app/subscription/redeem", of: CodeForm.self, in: router) { .redeem(code: $0.code) }
  }
}
