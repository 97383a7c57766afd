import Foundation
import StoreModel

/// A message of the App Store for the customer. Implements Apple's `Message`.
///
/// Show it with `StoreKitDevice.display(_:)`.
public struct Message: Sendable {
  public let reason: Reason

  init(_ message: StoreMessage) { reason = Reason(rawValue: message.rawValue) }

  /// The messages for the customer, each once on this installation. It never ends.
  ///
  /// If no iterator is registered when a message arises, StoreKit shows it itself.
  public static var messages: Messages { Messages(on: nil) }

  /// Why there is a message. Implements Apple's `Message.Reason`.
  public struct Reason: RawRepresentable, Equatable, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let generic = Reason(rawValue: StoreMessage.generic.rawValue)
    /// The customer is asked to consent to a higher price of a subscription.
    public static let priceIncreaseConsent = Reason(rawValue: StoreMessage.priceIncreaseConsent.rawValue)
    /// A subscription could not be renewed because of a billing problem.
    public static let billingIssue = Reason(rawValue: StoreMessage.billingIssue.rawValue)
    /// The customer can have an expired subscription again by a win-back offer.
    public static let winBackOffer = Reason(rawValue: StoreMessage.winBackOffer.rawValue)

    public var localizedDescription: String {
      switch self {
      case .generic: "Message of the App Store"
      case .priceIncreaseConsent: "Price increase"
      case .billingIssue: "Billing problem"
      case .winBackOffer: "Offer to subscribe again"
      default: "Message \(rawValue)"
      }
    }
  }

  /// Implements Apple's `Message.Messages`.
  public struct Messages: AsyncSequence, Sendable {
    public typealias Element = Message
    private let device: StoreKitDevice?

    init(on device: StoreKitDevice?) { self.device = device }

    public struct AsyncIterator: AsyncIteratorProtocol {
      private let registration: DeviceRegistration<MessageUpdate>

      init(on device: StoreKitDevice?) {
        registration = DeviceRegistration(on: device, withoutDevice: \.messages) { device in
          device.register(on: device.updates.messages) { try $0.pendingMessages() }
        }
      }

      public mutating func next() async -> Message? {
        while let update = await registration.buffer.next() {
          // If it cannot be written, the message is delivered once more at the next launch.
          let isPending = registration.device?.reading { try $0.markDelivered(update) } ?? true
          if registration.buffer.registry?.mayReceive(update, isPending: isPending) ?? isPending {
            return Message(update.message)
          }
        }
        return nil
      }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(on: device) }
  }
}
