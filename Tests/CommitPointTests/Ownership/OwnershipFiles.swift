import Foundation

/// What outlasts the removal of the app.
struct OwnershipFiles {
  /// The phone.
  static let deviceID = UUID(uuidString: "0D5CDE1C-8B0B-4D5E-9C55-51F0A4F0A8E1") ?? UUID()

  let keychain: URL
  let backup: URL

  init(_ stage: Stage) {
    keychain = stage.disk(of: .app).appending(path: "keychain")
    backup = stage.disk(of: .app).appending(path: "backup")
  }
}
