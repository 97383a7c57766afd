import Foundation

/// The files that stay when the app is removed.
struct OwnershipFiles {
  /// The vendor identifier of the phone.
  static let deviceID = UUID(uuidString: "0D5CDE1C-8B0B-4D5E-9C55-51F0A4F0A8E1") ?? UUID()

  let keychain: URL
  let backup: URL

  init(_ environment: RunEnvironment) {
    keychain = environment.disk(of: .app).appending(path: "keychain")
    backup = environment.disk(of: .app).appending(path: "backup")
  }
}
