import DurableSQLite
import Foundation
import ProgramSupport
import SampleApp

/// The durable settings of a phone. Stored in one file, which is replaced as a whole.
struct PhoneSettings: Codable, Hashable, Sendable {
  /// The device identifier. The store's receipts are made for it.
  var deviceID: UUID
  /// Whether the phone was made with `--server-credits`. Nil, the value of phones made by earlier versions, is the same as false.
  var hasServerCredits: Bool?
  /// Whether the app is on the phone.
  var isInstalled = true
  var isInAirplaneMode = false
  var isRestricted = false
  /// The store account that was used last on the phone; nil if none was used.
  var account: String?
  /// Whether that account is signed in, as the app last reported.
  var isSignedIn = false
  /// The next time the app reaches this point, it waits there. Nil if the app does not wait.
  var hold: HoldPoint?
  /// The last backup, shown so that the owner can write its key down.
  var lastBackup: Backup?

  /// The file name of a backup, and the key that decrypts it.
  struct Backup: Codable, Hashable, Sendable {
    let file: String
    let key: String
  }
}

extension PhoneSettings {
  /// Reads the settings of a phone, or creates those of a new phone.
  ///
  /// - Throws: `DurableSQLiteError`; `CommandFailure` if the file was not written by this program, or if the phone was
  ///   made with a different value of `hasServerCredits`. In the second case, the credits are stored in the other
  ///   place, and would seem to be lost.
  static func load(
    _ file: URL, hasServerCredits: Bool = false, makeUUID: () -> UUID = { UUID() }
  ) throws -> PhoneSettings {
    guard let data = try DurableFile.read(file) else {
      let settings = PhoneSettings(deviceID: makeUUID(), hasServerCredits: hasServerCredits)
      try settings.save(file)
      return settings
    }
    guard let settings = try? JSONDecoder().decode(PhoneSettings.self, from: data) else {
      throw CommandFailure.refused(
        "\(file.path) cannot be understood. Restore it from a backup, or choose another folder with --data.")
    }
    guard settings.hasServerCredits ?? false == hasServerCredits else {
      throw CommandFailure.refused(
        """
        The phone in \(file.deletingLastPathComponent().path) was made \(hasServerCredits ? "without" : "with") --server-credits, and its \
        credits are stored \(hasServerCredits ? "on the phone" : "on the server"). Start it as it was made, or choose another \
        folder with --data.
        """)
    }
    return settings
  }

  /// Writes the settings to the file. They are durable when this returns.
  ///
  /// - Throws: the errors of `DurableFile.replace(_:with:)`.
  func save(_ file: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try DurableFile.replace(file, with: try encoder.encode(self))
  }
}
