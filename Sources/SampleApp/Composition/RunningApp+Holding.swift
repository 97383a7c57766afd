import Foundation
import OpenStoreKit
import StoreKit
import StoreModel

// Where it stops to be killed, and what it tells of its requests.
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
      // Behind whatever the queue has told the main queue until now.
      DispatchQueue.main.async {
        say(.unfinished(order: order, delivered: count, inQueue: SKPaymentQueue.default().transactions.count))
      }
    }
  }

  /// The credits are given; the transaction is not finished.
  static func waitForEver(_ say: EventSender) -> @Sendable () -> Never {
    {
      say(.holding(.granted))
      while true { pause() }
    }
  }
}
