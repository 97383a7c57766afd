import Foundation
import PurchaseKit
import SampleApp
import SampleModel

/// A phone's name, and the store and server that it reaches.
struct PhoneNetwork: Sendable {
  let name: String
  let store: URL
  /// The purchase server; nil for an app without one.
  let server: URL?
  /// The place of the monkey credits that the phone was started with; nil for the usual one.
  var credits: CreditsPlace?
  /// The StoreKit that the phone was started with; nil for that of the phone.
  var storeKit: StoreInterface?

  /// Returns the variables to add to the environment of the app's process.
  func environment(of settings: PhoneSettings, _ folder: PhoneFolder) -> [String: String] {
    [
      "OPENSTOREKIT_URL": store.absoluteString, "OPENSTOREKIT_ENVIRONMENT": "sandbox",
      "OPENSTOREKIT_DATA": folder.app.path, "OPENSTOREKIT_BUNDLE_ID": SampleCatalog.bundleIdentifier,
      "OPENSTOREKIT_APP_VERSION": "1.0", "OPENSTOREKIT_ACCOUNT": settings.account ?? "customer",
      "OPENSTOREKIT_OFFLINE": settings.isInAirplaneMode ? "1" : "0",
      "OPENSTOREKIT_RESTRICTED": settings.isRestricted ? "1" : "0",
    ]
  }

  /// Returns the arguments of the app's process.
  func arguments(of settings: PhoneSettings, _ folder: PhoneFolder) -> [String] {
    var arguments = ["sample-app", "--pages", folder.socket.path, "--keychain", folder.keychain.path]
    arguments += ["--device-id", settings.deviceID.uuidString]
    if let server { arguments += ["--server", server.absoluteString] }
    arguments.append(settings.credits == .server ? "--server-credits" : "--device-credits")
    arguments += ["--storekit", settings.storeKit.rawValue]
    if let hold = settings.hold { arguments += ["--hold", hold.rawValue] }
    return arguments
  }
}
