extension StoreKitDevice {
  /// The number of payments and transactions in the payment journal that are not finished at the store, by either StoreKit.
  /// StoreKit 2 does not show those that were confirmed in an earlier launch and have no outcome yet.
  package var openPaymentCount: Int { reading { try $0.entries().readable.count } ?? 0 }
}
