import Foundation
import StoreModel

extension StoreKitDevice {
  /// The device that `SKPaymentQueue.default()`, product requests and `Bundle.main.appStoreReceiptURL` belong to.
  ///
  /// Assign it before the app's first call into StoreKit. Where nothing was assigned, the first call makes it from
  /// the environment; nil means that this failed, and the call reports why.
  public static var current: StoreKitDevice? {
    get { try? resolved() }
    set { holder.set(newValue) }
  }

  /// The current device, made from the environment if need be.
  ///
  /// - Throws: ``StoreKitDeviceError`` or `DurableSQLiteError`, saying what to set.
  static func resolved() throws -> StoreKitDevice { try holder.resolve() }

  private static let holder = Holder()

  private final class Holder: @unchecked Sendable {
    private let lock = NSLock()
    private var device: StoreKitDevice?

    func set(_ new: StoreKitDevice?) { lock.withLock { device = new } }

    func resolve() throws -> StoreKitDevice {
      try lock.withLock {
        if let device { return device }
        let made = try StoreKitDevice(environment: ProcessInfo.processInfo.environment)
        device = made
        return made
      }
    }
  }

  /// Makes a device from environment variables; see Documentation/architecture.md, "How an app finds its store".
  ///
  /// - Throws: ``StoreKitDeviceError`` naming the variable, or `DurableSQLiteError`.
  public convenience init(environment variables: [String: String]) throws {
    func setting(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }

    guard let address = setting("OPENSTOREKIT_URL") else { throw StoreKitDeviceError.notConfigured }
    guard let url = URL(string: address), ["http", "https"].contains(url.scheme), url.host() != nil else {
      throw StoreKitDeviceError.invalidSetting(
        name: "OPENSTOREKIT_URL", value: address, expected: "an address such as http://127.0.0.1:8080")
    }
    let environmentName = setting("OPENSTOREKIT_ENVIRONMENT") ?? "sandbox"
    guard let environment = StoreEnvironment(lowercaseName: environmentName), environment != .xcode else {
      throw StoreKitDeviceError.invalidSetting(
        name: "OPENSTOREKIT_ENVIRONMENT", value: environmentName, expected: "sandbox or production")
    }
    guard
      let bundleID = setting("OPENSTOREKIT_BUNDLE_ID")
        ?? Bundle.main.infoDictionary?["CFBundleIdentifier"] as? String
    else { throw StoreKitDeviceError.noBundleID }
    let version =
      setting("OPENSTOREKIT_APP_VERSION") ?? Bundle.main.infoDictionary?["CFBundleVersion"] as? String ?? "1.0"
    let folder =
      try setting("OPENSTOREKIT_DATA").map { URL(filePath: $0) }
      ?? FileManager.default.url(
        for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true
      ).appending(path: "OpenStoreKit/\(bundleID)")
    try self.init(
      connection: HTTPAppStoreConnection(url), bundleID: BundleID(bundleID), environment: environment,
      applicationVersion: version, storage: .directory(folder),
      customer: AutomaticCustomer(
        credentials: SignInCredentials(account: AccountName(setting("OPENSTOREKIT_ACCOUNT") ?? "customer"))))
  }
}
