import Foundation
import OpenStoreKit
import StoreKit

// Where it stops to be killed, and what it tells of its requests.
extension SampleApp {
  static func connection(
    _ settings: DeviceSettings, _ options: Options, _ network: NetworkSwitch, _ question: LastQuestion
  ) -> WatchedConnection {
    let (holds, tells) = (options.hold == .charged, options.tellsScreen)
    return WatchedConnection(
      base: HTTPAppStoreConnection(settings.url, timeoutSeconds: options.answerSeconds), network: network
    ) { products in
      if tells { say(.askedStore(products: products)) }
    } didCharge: {
      guard holds else { return }
      say(.holding(.charged))
      while true { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
    } didFinish: {
      say(.finishAcknowledged(transaction: $0.rawValue))
    } unfinishedOrder: {
      question.number
    } didFetchUnfinished: { order, count in
      // Behind whatever the queue has told the main queue until now.
      DispatchQueue.main.async {
        say(.unfinished(order: order, delivered: count, inQueue: SKPaymentQueue.default().transactions.count))
      }
    }
  }

  /// The credits are given; the transaction is not finished.
  static let waitForEver: @Sendable () -> Never = {
    say(.holding(.granted))
    while true { pause() }
  }
}
