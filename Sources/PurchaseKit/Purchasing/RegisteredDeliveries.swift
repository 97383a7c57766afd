import Foundation

/// Who gives which products; more may come while the app runs.
final class RegisteredDeliveries: @unchecked Sendable {
  private let lock = NSLock()
  private var deliveries: [any ProductDelivery]

  init(_ deliveries: [any ProductDelivery]) { self.deliveries = deliveries }

  var all: [any ProductDelivery] { lock.withLock { deliveries } }

  func add(_ delivery: any ProductDelivery) { lock.withLock { deliveries.append(delivery) } }

  /// Who gives `productIdentifier`: the first of several.
  func delivery(of productIdentifier: String) -> (any ProductDelivery)? {
    let known = lock.withLock { deliveries }
    return known.first { $0.handles(productIdentifier) }
  }
}
