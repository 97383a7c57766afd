import Foundation
import SampleModel

/// A phone's name, and the store and server that it reaches.
struct PhoneNetwork: Sendable {
  let name: String
  let store: URL
  /// The purchase server; nil for an app without one.
  let server: URL?
  /// Whether the purchase server stores the monkey credits.
  var hasServerCredits = false

  /// Returns the variables to add to the environment of the app's process.
  func environment(of settings: PhoneSettings, _ folder: PhoneFolder) -> [String: String] {
    [
      "OPENSTOREKIT_URL": store.absoluteString, "OPENSTOREKIT_ENVIRONMENT": "sandbox",
      "OPENSTOREKIT_DATA": folder.app.path, "OPENSTOREKIT_BUNDLE_ID": SampleCatalog.bundleIdentifier,
      "OPENSTOREKIT_APP_VERSION": "1.0", "OPENSTOREKIT_ACCOUNT": settings.account ?? "customer",
    ]
  }

  /// Returns the arguments of the app's process.
  func arguments(of settings: PhoneSettings, _ folder: PhoneFolder) -> [String] {
    var arguments = ["sample-app", "--pages", folder.socket.path, "--keychain", folder.keychain.path]
    arguments += ["--device-id", settings.deviceID.uuidString]
    if let server { arguments += ["--server", server.absoluteString] }
    if hasServerCredits { arguments.append("--server-credits") }
    if settings.isInAirplaneMode { arguments.append("--offline") }
    if settings.isRestricted { arguments.append("--restricted") }
    if let hold = settings.hold { arguments += ["--hold", hold.rawValue] }
    return arguments
  }
}
