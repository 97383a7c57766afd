import Foundation
import StoreModel

/// The App Store of the country of the customer's account. Implements Apple's `Storefront`.
public struct Storefront: Identifiable, Sendable {
  /// ISO 3166-1 alpha-3, such as `USA`.
  public let countryCode: String
  /// Apple's identifier of the storefront, such as `143441`.
  public let id: String

  init(countryCode: String, id: String) {
    self.countryCode = countryCode
    self.id = id
  }

  init(_ territory: Territory) { self.init(countryCode: territory.countryCode, id: territory.identifier) }

  /// The currency of the storefront's prices; nil if the storefront is unknown.
  public var currency: Locale.Currency? {
    Territory(countryCode: countryCode).map { Locale.Currency($0.currency) }
  }

  /// The storefront of the signed-in customer; nil if it is not known. Offline, it is the last one of this launch.
  public static var current: Storefront? {
    get async { await current(on: nil) }
  }

  static func current(on device: StoreKitDevice?) async -> Storefront? {
    guard let device = device ?? .currentOrReport() else { return nil }
    // Without a poll, the device does not learn of a change by itself.
    let isCurrent =
      if device.session.storefront.value != nil { await device.engine.isActive } else { false }
    // If that fails, the storefront stays the last one.
    if !isCurrent, !device.switches.isOffline { try? await device.engine.registerAgain() }
    return device.session.storefront.value.map(Storefront.init)
  }

  /// The storefronts to which the customer's account changes, each as soon as this device learns of it. It never ends.
  public static var updates: Storefronts { Storefronts(on: nil) }

  /// Implements Apple's `Storefront.Storefronts`.
  public struct Storefronts: AsyncSequence, Sendable {
    public typealias Element = Storefront
    private let device: StoreKitDevice?

    init(on device: StoreKitDevice?) { self.device = device }

    public struct AsyncIterator: AsyncIteratorProtocol {
      private let registration: DeviceRegistration<StorefrontUpdate>

      init(on device: StoreKitDevice?) {
        registration = DeviceRegistration(on: device, withoutDevice: \.storefronts) {
          $0.updates.storefronts.register()
        }
      }

      public mutating func next() async -> Storefront? {
        await registration.buffer.next().map { Storefront($0.storefront) }
      }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(on: device) }
  }
}
