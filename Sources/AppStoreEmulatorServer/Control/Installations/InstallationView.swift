import AppStoreEmulator
import Foundation
import StoreModel

/// An installation of an app on a device.
struct InstallationView: Encodable, Sendable {
  let installationId: InstallationID
  let bundleId: BundleID
  let environment: StoreEnvironment
  let deviceId: String
  let applicationVersion: String
  let originalApplicationVersion: String
  let customer: AccountName?
  /// UNIX milliseconds.
  let registrationDate: StoreDate

  init(_ installation: Installation) {
    installationId = installation.installationID
    bundleId = installation.bundleID
    environment = installation.environment
    deviceId = installation.deviceID
    applicationVersion = installation.applicationVersion
    originalApplicationVersion = installation.originalApplicationVersion
    customer = installation.account
    registrationDate = installation.registrationDate
  }
}

/// A purchase that the customer began in the App Store.
struct PromotedPurchase: Codable, Sendable {
  let installationId: InstallationID
  let productId: ProductID
}
