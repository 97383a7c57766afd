import Foundation
import StoreModel

/// The App Store as the device sees it. Implements Apple's `AppStore`.
public enum AppStore: Sendable {
  /// Whether purchases are allowed on this device, as `SKPaymentQueue.canMakePayments()` returns.
  public static var canMakePayments: Bool { SKPaymentQueue.canMakePayments() }

  /// The identifier of the device in `deviceVerification` of signed data: the `identifierForVendor` of the current device.
  public static var deviceVerificationID: UUID? { StoreKitDevice.current?.deviceID }

  /// Asks the customer to sign in, and loads all purchases from the store. Call it only when the customer asks for it, as
  /// with a button "Restore purchases".
  ///
  /// - Throws: ``StoreKitError/userCancelled`` if the customer does not sign in; ``StoreKitError``.
  public static func sync() async throws { try await sync(on: nil) }

  static func sync(on device: StoreKitDevice?) async throws {
    let device = try device ?? .orSystemError()
    do {
      try device.simulatedErrors.check(.appStoreSync)
      try await device.engine.synchronize()
    } catch {
      throw StoreKitError.general(error)
    }
  }

  /// The age rating of the app. Always nil: the emulated store does not rate apps.
  public static var ageRatingCode: Int? {
    get async { nil }
  }

  /// The store that signed something. Implements Apple's `AppStore.Environment`.
  public struct Environment: RawRepresentable, Equatable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let production = Environment(rawValue: StoreEnvironment.production.rawValue)
    public static let sandbox = Environment(rawValue: StoreEnvironment.sandbox.rawValue)
    /// StoreKit testing in Xcode.
    public static let xcode = Environment(rawValue: StoreEnvironment.xcode.rawValue)
  }

  /// The platform of a device. Implements Apple's `AppStore.Platform`.
  public struct Platform: RawRepresentable, Equatable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let iOS = Platform(rawValue: "iOS")
    public static let macOS = Platform(rawValue: "macOS")
    public static let tvOS = Platform(rawValue: "tvOS")
    public static let visionOS = Platform(rawValue: "visionOS")
  }
}
