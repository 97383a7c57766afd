import Foundation
import StoreModel

/// A purchase that the customer has begun in the App Store, and continues in the app. Implements Apple's `PurchaseIntent`.
public struct PurchaseIntent: Equatable, Sendable, Identifiable {
  public let product: Product
  /// The win-back offer that the customer wants to redeem; nil for none. Pass it to `purchase(options:)`.
  public let offer: Product.SubscriptionOffer?

  /// The id of the product.
  public var id: Product.ID { product.id }

  /// The intents that no iterator has received yet, and those that the customer begins from now on. It never ends.
  ///
  /// An app that uses it does not use `paymentQueue(_:shouldAddStorePayment:for:)`.
  public static var intents: PurchaseIntents { PurchaseIntents(on: nil) }

  /// Implements Apple's `PurchaseIntent.PurchaseIntents`.
  public struct PurchaseIntents: AsyncSequence {
    public typealias Element = PurchaseIntent
    private let device: StoreKitDevice?

    init(on device: StoreKitDevice?) { self.device = device }

    public struct AsyncIterator: AsyncIteratorProtocol {
      private let registration: DeviceRegistration<IntentUpdate>

      init(on device: StoreKitDevice?) {
        registration = DeviceRegistration(on: device, withoutDevice: \.intents) { device in
          device.register(on: device.updates.intents) { try $0.pendingIntents() }
        }
      }

      public mutating func next() async -> PurchaseIntent? {
        while let update = await registration.buffer.next() {
          guard let product = await product(of: update) else { continue }
          _ = registration.device?.reading { try $0.remove(update) }
          let offer = product.subscription?.winBackOffers.first { $0.id == update.offer?.identifier }
          return PurchaseIntent(product: product, offer: offer)
        }
        return nil
      }

      /// Loads the product of an intent, and tries again until the store answers. Nil if the store does not sell it, or the
      /// task is cancelled; then the intent stays stored.
      private func product(of update: IntentUpdate) async -> Product? {
        var failures = 0
        // The device is not held during the wait, so that a forgotten loop does not keep it open.
        while let clock = registration.device?.engine.clock {
          do {
            guard let device = registration.device else { return nil }
            let product = try await device.engine.products([update.productID]).products.first
            if product == nil { _ = device.reading { try $0.remove(update) } }
            return product.map { Product($0, on: device) }
          } catch {
            failures += 1
            // Throws if the task is cancelled.
            guard (try? await clock.sleep(for: RetryPauses.upToAMinute.pause(afterFailures: failures))) != nil else {
              return nil
            }
          }
        }
        return nil
      }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(on: device) }
  }
}
