import Foundation
import PurchaseKit

@testable import CommandLineTool
@testable import SampleApp

/// A copy of the sample app's vault. The original on the disk stays unchanged.
final class VaultCopy {
  private let folder: URL
  private let deviceID: UUID
  private static let endings = ["", "-wal", "-journal"]

  init(of data: URL, keychain: URL, deviceID: UUID, at folder: URL) throws {
    self.folder = folder
    self.deviceID = deviceID
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let files =
      Self.endings.map { (data.appending(path: SampleVault.fileName + $0), SampleVault.fileName + $0) }
      + [(keychain, "keychain")]
    for (file, name) in files where FileManager.default.fileExists(atPath: file.path) {
      try FileManager.default.copyItem(at: file, to: folder.appending(path: name))
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func open<Value>(_ body: (PurchaseVault) throws -> Value) throws -> Value {
    let vault = try opened()
    defer { try? vault.close() }
    return try body(vault)
  }

  /// Removes the vault's file, but not its key, and then imports a backup.
  func importAfterLoss(_ backup: Data, under key: BackupKey) async throws -> BackupImport {
    for ending in Self.endings { try? FileManager.default.removeItem(at: file(ending)) }
    let vault = try opened()
    defer { try? vault.close() }
    // No receipt is trusted here, because only the credits are checked.
    let receipts = ReceiptReader(
      url: { nil }, anchors: nil, bundleID: vault.owner.bundleID, device: .vendorIdentifier(deviceID),
      environments: [.sandbox])
    return try await vault.importBackup(backup, under: key, receipts: receipts)
  }

  private func file(_ ending: String) -> URL { folder.appending(path: SampleVault.fileName + ending) }

  private func opened() throws -> PurchaseVault {
    try SampleVault(folder: folder, keychain: folder.appending(path: "keychain"), deviceID: deviceID).open()
  }
}
