import DurableSQLite
import Foundation
import OpenStoreKit
import ProgramSupport
import PurchaseKit
import SampleApp

/// The durable settings of a phone. Stored in one file, which is replaced as a whole.
struct PhoneSettings: Codable, Hashable, Sendable {
  /// The device identifier. The store's receipts are made for it.
  var deviceID: UUID
  /// Whether the purchase server stores the monkey credits. Nil, the value of phones made by earlier versions, is the same
  /// as false.
  var hasServerCredits: Bool?
  /// The StoreKit that the app uses. Nil, the value of phones made by earlier versions, is StoreKit 1.
  var storeInterface: StoreInterface?
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
  /// The credits that are lost if the app is deleted, as the app last reported; nil if it has no credits on this device.
  var creditsAtRisk: CreditLoss?

  /// The file name of a backup, and the key that decrypts it.
  struct Backup: Codable, Hashable, Sendable {
    let file: String
    let key: String
    /// The number of credits in it; nil if it is not known.
    var credits: Int?
  }

  /// The place of the monkey credits.
  var credits: CreditsPlace {
    get { hasServerCredits == true ? .server : .device }
    set { hasServerCredits = newValue == .server }
  }

  /// The StoreKit that the app uses from its next start on. Both see the same purchases, so the owner may change it.
  var storeKit: StoreInterface {
    get { storeInterface ?? .storeKit1 }
    set { storeInterface = newValue }
  }
}

extension StoreInterface {
  /// The name on the phone's pages.
  var title: String { "StoreKit \(rawValue)" }
}

extension PhoneSettings {
  /// Reads the settings of a phone, or creates those of a new phone.
  ///
  /// - Parameters:
  ///   - credits: the place of the monkey credits that the phone is started with; nil to keep the phone's place, and to give
  ///     a new phone the usual one.
  ///   - hasServer: whether the phone has a purchase server.
  /// - Throws: `DurableSQLiteError`; `CommandFailure` if the file was not written by this program, or if the phone's
  ///   credits are in another place than `credits`, where they would seem to be lost.
  static func load(
    _ file: URL, credits: CreditsPlace? = nil, hasServer: Bool = false, makeUUID: () -> UUID = { UUID() }
  ) throws -> PhoneSettings {
    guard let data = try DurableFile.read(file) else {
      var settings = PhoneSettings(deviceID: makeUUID())
      settings.credits = credits ?? .usual(hasServer: hasServer)
      try settings.save(file)
      return settings
    }
    guard let settings = try? JSONDecoder().decode(PhoneSettings.self, from: data) else {
      throw CommandFailure.refused(
        "\(file.path) cannot be understood. Restore it from a backup, or choose another folder with --data.")
    }
    let folder = file.deletingLastPathComponent().path
    let number = settings.creditsAtRisk?.credits.map { "\($0) " } ?? ""
    switch settings.credits {
    case .device where credits == .server:
      throw CommandFailure.refused(
        "The \(number)credits of the phone in \(folder) are stored on the phone, and would not be shown. Start it with "
          + "--device-credits, or choose another folder with --data.")
    case .server where credits == .device || !hasServer:
      throw CommandFailure.refused(
        "The credits of the phone in \(folder) are stored on the purchase server, and would not be shown. Start it with "
          + "--server and --server-credits, or choose another folder with --data.")
    case .server, .device: return settings
    }
  }

  /// Takes restrictions and airplane mode from environment variables. A variable that is not set changes nothing.
  ///
  /// - Returns: whether a setting has changed.
  /// - Throws: `CommandFailure` if a variable is invalid.
  mutating func adopt(_ environment: [String: String]) throws(CommandFailure) -> Bool {
    let before = self
    do throws(StoreKitDeviceError) {
      let switches = try DeviceSettings.switches(environment)
      isRestricted = switches.isRestricted ?? isRestricted
      isInAirplaneMode = switches.isOffline ?? isInAirplaneMode
    } catch {
      throw .unusable(error.description)
    }
    return self != before
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

/// A message to the phone's owner, shown beside the settings.
struct PhoneMessage: Hashable, Sendable {
  let text: String
  let isBad: Bool

  static func good(_ text: String) -> PhoneMessage { PhoneMessage(text: text, isBad: false) }
  static func bad(_ text: String) -> PhoneMessage { PhoneMessage(text: text, isBad: true) }
}
