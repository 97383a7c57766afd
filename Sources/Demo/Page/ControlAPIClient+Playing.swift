import AppStoreEmulator
import ControlAPI
import SampleModel
import StoreModel

// The actions of the tour's player in the store.
extension ControlAPIClient {
  private static let tourFault: FaultID = "tour"

  func perform(_ action: StoreAction) async throws {
    switch action {
    case .change(let change): try await self.change(change)
    case .failNextPurchase(let error): try await set(Fault(AppErrorFault(error), id: Self.tourFault, count: 1))
    case .failNoPurchase:
      let faults = try await call(ControlEndpoints.faults).value.faults
      guard faults.contains(where: { $0.id == Self.tourFault }) else { return }
      _ = try await call(ControlEndpoints.removeFault, path: FaultPath(Self.tourFault))
    case .approve: try await decideApproval(.approve)
    case .buy(let product): try await buy(ProductID(product), of: BundleID(SampleCatalog.bundleIdentifier))
    case .refundFirst(let product):
      guard let first = try await owned([product]).first else { return }
      try await refund(first.transactionId)
    case .refundLast(let product):
      guard let last = try await owned([product]).last else { return }
      try await refund(last.transactionId)
    case .settleNotifications: try await settleNotifications()
    }
  }

  /// Returns the address of a page of the store's console.
  func address(of page: StorePage) async throws -> String {
    switch page {
    case .customer: return "/console/customer?environment=sandbox&name=\(TourPlay.account)"
    case .faults: return "/console/faults"
    case .product(let product):
      return "/console/product?app=\(SampleCatalog.bundleIdentifier)&product=\(product)"
    case .transaction(let product): return Self.address(of: try await owned([product]).first)
    case .lastTransaction(let product): return Self.address(of: try await owned([product]).last)
    case .requests: return "/console/requests"
    case .notifications: return "/console/notifications"
    }
  }

  private static func address(of transaction: TransactionView?) -> String {
    transaction.map { "/console/transactions/\($0.transactionId.rawValue)" } ?? "/"
  }

  /// Returns the purchases of the tour's customer that are not refunded, oldest first.
  func owned(_ products: [String]) async throws -> [TransactionView] {
    try await records(of: AccountName(TourPlay.account)).transactions.filter {
      products.contains($0.productId.rawValue) && $0.revocationDate == nil
    }
  }
}
