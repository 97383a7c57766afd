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
  package let restricted: Bool?
  package let offline: Bool?

  package static let notes: [String: MemberNote] = [
    "deviceId": "The device's identifierForVendor.",
    "originalApplicationVersion": "The version that registered first.",
    "customer": "The customer who is signed in.",
    "restricted": "Whether purchases are restricted, as it was set here. Not present: the device decides.",
    "offline": "Whether the device has no network, as it was set here. Not present: the device decides.",
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
    restricted = installation.settings.isRestricted
    offline = installation.settings.isOffline
  }
}

/// A change of what a person can set on a device. Only the given members are changed.
package struct InstallationChange: APIObject {
  package let restricted: Bool??
  package let offline: Bool??

  package static let notes: [String: MemberNote] = [
    "restricted": .init("Whether purchases are restricted. Null: the device decides.", isNullable: true),
    "offline": .init(
      "Whether the device has no network: all its calls fail, except the one that brings this setting. Null: the device decides.",
      isNullable: true),
  ]

  private enum CodingKeys: String, CodingKey { case restricted, offline }

  package init(restricted: Bool?? = nil, offline: Bool?? = nil) {
    self.restricted = restricted
    self.offline = offline
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    restricted =
      container.contains(.restricted) ? .some(try container.decodeIfPresent(Bool.self, forKey: .restricted)) : nil
    offline = container.contains(.offline) ? .some(try container.decodeIfPresent(Bool.self, forKey: .offline)) : nil
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    if let restricted { try container.encode(restricted, forKey: .restricted) }
    if let offline { try container.encode(offline, forKey: .offline) }
  }
}

/// A purchase that the customer began in the App Store.
package struct PromotedPurchase: APIObject {
  package let installationId: InstallationID
  package let productId: ProductID
  package let offerId: String?

  package static let notes: [String: MemberNote] = [
    "offerId": "The developer's identifier of a win-back offer of the product, which the customer chose there."
  ]

  package init(installationId: InstallationID, productId: ProductID, offerId: String? = nil) {
    self.installationId = installationId
    self.productId = productId
    self.offerId = offerId
  }

  /// The win-back offer; nil for none.
  package var offer: PaymentOffer? { offerId.map { PaymentOffer(kind: .winBack, identifier: $0) } }
}
