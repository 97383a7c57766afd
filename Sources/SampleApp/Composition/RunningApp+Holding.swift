import Foundation
import OpenStoreKit
import PurchaseKit
import StoreKit
import StoreModel

// The points at which the app stops so that it can be killed there, and the reports on its requests.
extension RunningApp {
  static func connection(
    over base: any AppStoreConnection, _ options: Options, _ unfinishedRequest: LockedValue<Int?>,
    _ hold: LockedValue<HoldPoint?>, _ send: EventSender
  ) -> WatchedConnection {
    let (reports, storeKit) = (options.reportsScreen, options.storeKit)
    return WatchedConnection(base: base) { products in
      if reports { send(.askedStore(products: products)) }
    } didCharge: {
      guard hold.value == .charged else { return }
      send(.holding(.charged))
      while true { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
    } didFinish: {
      send(.finishAcknowledged(transaction: $0.rawValue))
    } unfinishedRequest: {
      unfinishedRequest.value
    } didFetchUnfinished: { number, count in
      // Runs after all work that the payment queue has already put on the main queue.
      DispatchQueue.main.async {
        let inQueue =
          switch storeKit {
          case .storeKit1: SKPaymentQueue.default().transactions.count
          case .storeKit2: StoreKitDevice.current?.openPaymentCount ?? 0
          }
        send(.unfinished(request: number, delivered: count, inQueue: inQueue))
      }
    }
  }

  /// Returns a function that reports ``HoldPoint/granted`` and then waits forever. It is called when the credits are
  /// granted and the transaction is not finished yet.
  static func waitForEver(_ send: EventSender) -> @Sendable () -> Never {
    {
      send(.holding(.granted))
      while true { pause() }
    }
  }
}
