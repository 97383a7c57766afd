import DurableSQLite
import Foundation
import ProgramSupport
import SampleApp

/// The durable settings of a phone. Stored in one file, which is replaced as a whole.
struct PhoneSettings: Codable, Hashable, Sendable {
  /// The device identifier. The store's receipts are made for it.
  var deviceID: UUID
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
  /// - Throws: `DurableSQLiteError`; `CommandFailure` if the file was not written by this program.
  static func load(_ file: URL, makeUUID: () -> UUID = { UUID() }) throws -> PhoneSettings {
    guard let data = try DurableFile.read(file) else {
      let settings = PhoneSettings(deviceID: makeUUID())
      try settings.save(file)
      return settings
    }
    do {
      return try JSONDecoder().decode(PhoneSettings.self, from: data)
    } catch {
      throw CommandFailure.refused(
        "\(file.path) cannot be understood. Restore it from a backup, or choose another folder with --data.")
    }
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
