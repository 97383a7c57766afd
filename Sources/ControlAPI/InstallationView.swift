import APIDescription
import AppStoreEmulator
import Foundation
import StoreModel

/// An installation of an app on a device.
package struct InstallationView: APIObject {
  package let installationId: InstallationID
  package let bundleId: BundleID
  package let environment: StoreEnvironment
  package let deviceId: String
  package let applicationVersion: String
  package let originalApplicationVersion: String
  package let customer: AccountName?
  package let registrationDate: StoreDate

  package static let notes: [String: MemberNote] = [
    "deviceId": "The device's identifierForVendor.",
    "originalApplicationVersion": "The version that registered first.",
    "customer": "The customer who is signed in.",
  ]

  package init(_ installation: Installation) {
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
package struct PromotedPurchase: APIObject {
  package let installationId: InstallationID
  package let productId: ProductID
}
