import Foundation
import StoreModel

/// The settings of a device from environment variables, so that an app needs no code to find its store.
///
/// | variable | meaning |
/// |---|---|
/// | `OPENSTOREKIT_URL` | the store's address; required |
/// | `OPENSTOREKIT_ENVIRONMENT` | `sandbox` (the default) or `production` |
/// | `OPENSTOREKIT_ACCOUNT` | the account that signs in; `customer` by default |
/// | `OPENSTOREKIT_DATA` | the installation's folder; by default one in the user's application support folder |
/// | `OPENSTOREKIT_BUNDLE_ID` | the app; by default `CFBundleIdentifier` of an Info.plist beside the executable |
/// | `OPENSTOREKIT_APP_VERSION` | the app's version; by default `CFBundleVersion`, or 1.0 |
/// | `OPENSTOREKIT_RESTRICTED` | `1` if purchases are restricted on the device |
/// | `OPENSTOREKIT_OFFLINE` | `1` if the device has no network |
/// | `OPENSTOREKIT_STORE_TIMEOUT` | the time that the store has to answer, in seconds; 30 by default |
///
/// The store's control API can set restrictions and outage for an installation, too. Its values then count.
public struct DeviceSettings: Hashable, Sendable {
  public let url: URL
  public let environment: StoreEnvironment
  public let account: AccountName
  public let folder: URL
  public let bundleID: BundleID
  public let applicationVersion: String
  public let isRestricted: Bool
  public let isOffline: Bool
  /// The time that the store has to answer a call, and that a payment waits for the store before its confirmation has
  /// left.
  public let storeTimeout: Duration

  /// 30 seconds.
  public static let defaultStoreTimeout = Duration.seconds(30)

  /// The longest time that can be set, in seconds: one day.
  private static let longestTimeout = 86_400.0

  /// Reads the variables. An empty variable counts as not set.
  ///
  /// - Throws: ``StoreKitDeviceError`` if a variable is missing or invalid. Its description says what to set.
  public init(_ variables: [String: String]) throws {
    func setting(_ name: String) -> String? { Self.value(name, variables) }

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
    let info = Bundle.main.infoDictionary
    guard let bundleID = setting("OPENSTOREKIT_BUNDLE_ID") ?? info?["CFBundleIdentifier"] as? String else {
      throw StoreKitDeviceError.noBundleID
    }
    let switches = try Self.switches(variables)
    isRestricted = switches.isRestricted ?? false
    isOffline = switches.isOffline ?? false
    storeTimeout =
      try setting("OPENSTOREKIT_STORE_TIMEOUT").map { text in
        guard let seconds = Double(text), seconds > 0, seconds <= Self.longestTimeout else {
          throw StoreKitDeviceError.invalidSetting(
            name: "OPENSTOREKIT_STORE_TIMEOUT", value: text, expected: "a number of seconds above 0, at most 86400")
        }
        return .seconds(seconds)
      } ?? Self.defaultStoreTimeout
    self.url = url
    self.environment = environment
    self.bundleID = BundleID(bundleID)
    account = AccountName(setting("OPENSTOREKIT_ACCOUNT") ?? "customer")
    applicationVersion = setting("OPENSTOREKIT_APP_VERSION") ?? info?["CFBundleVersion"] as? String ?? "1.0"
    folder =
      try setting("OPENSTOREKIT_DATA").map { URL(filePath: $0) }
      ?? FileManager.default.url(
        for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true
      ).appending(path: "OpenStoreKit/\(bundleID)")
  }

  /// Reads `OPENSTOREKIT_RESTRICTED` and `OPENSTOREKIT_OFFLINE`; nil for a variable that is not set.
  ///
  /// - Throws: ``StoreKitDeviceError/invalidSetting(name:value:expected:)``.
  package static func switches(
    _ variables: [String: String]
  ) throws(StoreKitDeviceError) -> (isRestricted: Bool?, isOffline: Bool?) {
    func isSet(_ name: String) throws(StoreKitDeviceError) -> Bool? {
      switch value(name, variables) {
      case "1": true
      case "0": false
      case nil: nil
      case let value?: throw .invalidSetting(name: name, value: value, expected: "1 or 0")
      }
    }
    return (try isSet("OPENSTOREKIT_RESTRICTED"), try isSet("OPENSTOREKIT_OFFLINE"))
  }

  private static func value(_ name: String, _ variables: [String: String]) -> String? {
    variables[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension StoreKitDevice {
  /// A device with the given settings.
  ///
  /// - Parameters:
  ///   - connection: nil for HTTP to the address in `settings`.
  ///   - customer: nil for a customer who signs in with the account in `settings` and confirms every payment.
  ///   - retry: decides when a failed call is retried.
  ///   - deviceID: this device; nil for the device of an existing installation, or for a new device.
  /// - Throws: `DurableSQLiteError` if the folder is in use, is damaged, or was written by a newer version;
  ///   ``StoreKitDeviceError/folderOfAnotherDevice(_:)``.
  public convenience init(
    _ settings: DeviceSettings, connection: (any AppStoreConnection)? = nil, customer: (any StoreCustomer)? = nil,
    retry: any RetrySchedule = TimedRetry(.upToAMinute), deviceID: UUID? = nil
  ) throws {
    try self.init(
      settings, connection: connection, watching: { $0 }, customer: customer,
      switches: DeviceSwitches(isRestricted: settings.isRestricted, isOffline: settings.isOffline), retry: retry,
      deviceID: deviceID)
  }

  /// A device with the given settings.
  ///
  /// - Parameters:
  ///   - watching: wraps the connection as the device uses it: calls that fail because the device is offline pass through
  ///     the result, too.
  ///   - switches: the device's switches, instead of those in `settings`.
  package convenience init(
    _ settings: DeviceSettings, connection: (any AppStoreConnection)?,
    watching: (any AppStoreConnection) -> any AppStoreConnection, customer: (any StoreCustomer)?,
    switches: DeviceSwitches, retry: any RetrySchedule, deviceID: UUID?
  ) throws {
    try self.init(
      connection: connection ?? HTTPAppStoreConnection(settings.url), watching: watching, bundleID: settings.bundleID,
      environment: settings.environment, applicationVersion: settings.applicationVersion,
      storage: .directory(settings.folder), deviceID: deviceID,
      customer: customer ?? AutomaticCustomer(credentials: SignInCredentials(account: settings.account)),
      switches: switches, storeTimeout: settings.storeTimeout, retry: retry, clock: SystemClock(),
      makeUUID: { UUID() }, report: Self.writeToStandardError)
  }
}
