import StoreModel

extension ProductType {
  var text: String {
    switch self {
    case .consumable: "consumable"
    case .nonConsumable: "non-consumable"
    case .nonRenewingSubscription: "non-renewing subscription"
    case .autoRenewableSubscription: "auto-renewable subscription"
    }
  }
}
