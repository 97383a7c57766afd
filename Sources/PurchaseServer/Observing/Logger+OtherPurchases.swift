import Logging
import PurchaseLedger
import StoreModel

extension Logger {
  /// Warns the operator that the store has sold other purchases under known transaction ids; does nothing if there are none.
  func warn(ofOtherPurchases ids: [TransactionID], app: BundleID) {
    guard !ids.isEmpty else { return }
    warning(
      "The store has sold other purchases under known transaction ids. Was the data folder of an emulator put back?",
      metadata: [
        "app": "\(app)", "count": "\(ids.count)", "transactions": "\(ids.prefix(10).map(\.rawValue))",
      ])
  }
}
