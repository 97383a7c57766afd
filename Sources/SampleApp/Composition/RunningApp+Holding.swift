import Foundation
import OpenStoreKit
import StoreKit
import StoreModel

// The points at which the app stops to be killed, and the reports on its requests.
extension RunningApp {
  static func connection(
    over base: any AppStoreConnection, _ options: Options, _ network: NetworkSwitch, _ question: LockedValue<Int?>,
    _ hold: LockedValue<HoldPoint?>, _ say: EventSender
  ) -> WatchedConnection {
    let tells = options.tellsScreen
    return WatchedConnection(base: base, network: network) { products in
      if tells { say(.askedStore(products: products)) }
    } didCharge: {
      guard hold.value == .charged else { return }
      say(.holding(.charged))
      while true { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
    } didFinish: {
      say(.finishAcknowledged(transaction: $0.rawValue))
    } unfinishedOrder: {
      question.value
    } didFetchUnfinished: { order, count in
      // After all that the payment queue has already put on the main queue.
      DispatchQueue.main.async {
        say(.unfinished(order: order, delivered: count, inQueue: SKPaymentQueue.default().transactions.count))
      }
    }
  }

  /// Returns a function that reports `granted` and never returns: the credits are granted, and the transaction is not
  /// finished.
  static func waitForEver(_ say: EventSender) -> @Sendable () -> Never {
    {
      say(.holding(.granted))
      while true { pause() }
    }
  }
}
