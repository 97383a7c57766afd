import Foundation
import PurchaseKit
import SignedData
import StoreModel

/// The files of a vault: its SQLite file and, in a folder beside it, its key item.
final class TestVault: Sendable {
  static let bundleID: BundleID = "com.example.vault"
  static let device = DeviceIdentifier.vendorIdentifier(
    UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))
  static let otherDevice = DeviceIdentifier.vendorIdentifier(
    UUID(uuid: (16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)))
  /// 2026-09-21.
  static let date = Date(timeIntervalSince1970: 1_790_000_000)

  let folder: URL
  private let isKept: Bool

  init(
    folder: URL = FileManager.default.temporaryDirectory.appending(path: "vault-tests-\(UUID().uuidString)"),
    isKept: Bool = false
  ) {
    self.folder = folder
    self.isKept = isKept
  }

  deinit { if !isKept { try? FileManager.default.removeItem(at: folder) } }

  var file: URL { folder.appending(path: "vault.sqlite") }
  var keyFolder: URL { folder.appending(path: "keys") }
  var keyItem: URL { keyFolder.appending(path: "purchase-vault.key") }
  var receipt: URL { folder.appending(path: "receipt") }

  static func owner(_ device: DeviceIdentifier = device) -> VaultOwner {
    VaultOwner(bundleID: bundleID, deviceIdentifier: device)
  }

  func open(
    at url: URL? = nil, keys: (any VaultKeyStore)? = nil, device: DeviceIdentifier = device, date: Date = date,
    report: (VaultFinding) -> Void = { _ in }
  ) throws -> PurchaseVault {
    try PurchaseVault(
      at: url ?? file, keys: keys ?? FileVaultKeyStore(directory: keyFolder), owner: Self.owner(device),
      clock: ManualClock(StoreDate(date)), report: report)
  }

  /// Opens the vault, calls `body`, and closes it. After that, SQLite has all data in the one file.
  func use<Value>(_ body: (PurchaseVault) throws -> Value) throws -> Value {
    let vault = try open()
    defer { try? vault.close() }
    return try body(vault)
  }

  /// Returns the credits of a vault in memory.
  static func credits() throws -> VaultCreditStore {
    try PurchaseVault(at: nil, keys: MemoryVaultKeyStore(), owner: owner(), clock: ManualClock(StoreDate(date))).credits
  }
}

extension PurchaseVault {
  var credits: VaultCreditStore { VaultCreditStore(self) }
}
