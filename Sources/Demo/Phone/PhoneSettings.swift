import DurableSQLite
import Foundation
import ProgramSupport
import SampleApp

/// What a phone remembers, in one file that is replaced as a whole.
struct PhoneSettings: Codable, Hashable, Sendable {
  /// The phone, as the store's receipts name it.
  var deviceID: UUID
  /// Whether the app is on the phone.
  var isInstalled = true
  var isInAirplaneMode = false
  /// Whether purchases are restricted.
  var isRestricted = false
  /// The store account that was used last on the phone; nil for none.
  var account: String?
  /// Whether that account is signed in, as far as the app has said.
  var isSignedIn = false
  /// Where the app is to wait the next time it comes there; nil for nowhere.
  var hold: HoldPoint?
  /// The last backup that was made, for its owner to write the key down.
  var lastBackup: Backup?

  /// A backup and what opens it.
  struct Backup: Codable, Hashable, Sendable {
    let file: String
    let key: String
  }
}

extension PhoneSettings {
  /// Reads a phone's settings, or makes those of a new phone.
  ///
  /// - Throws: `DurableSQLiteError`, `CommandFailure` where the file is not one of this program's.
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

  /// Puts them into the file; durable when it returns.
  ///
  /// - Throws: `DurableSQLiteError`; what was there before is there still.
  func save(_ file: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try DurableFile.replace(file, with: try encoder.encode(self))
  }
}
