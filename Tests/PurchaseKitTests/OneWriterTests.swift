import DurableSQLite
import Foundation
import OpenStoreKit
import PurchaseKit
import StoreModel
import Testing

/// Only one process may use a data folder, because two would each deliver the same purchase.
@Suite("One owner for each data folder", .timeLimit(.minutes(30)))
struct OneWriterTests {
  private let files = TestVault()

  @Test("B9 a vault opened twice in one process: the second is refused with a message, also under another name")
  func vaultTwice() throws {
    let first = try files.open()
    let file = files.file
    let error = #expect(throws: DurableSQLiteError.inUse(path: file.path, by: .thisProcess)) { try files.open() }
    #expect(error?.purchaseAlert()?.contains("in use") == true)
    let detour = files.folder.appending(path: "..").appending(path: files.folder.lastPathComponent)
    #expect(throws: DurableSQLiteError.self) { try files.open(at: detour.appending(path: "vault.sqlite")) }
    let alias = files.folder.appending(path: "alias.sqlite")
    try FileManager.default.createSymbolicLink(at: alias, withDestinationURL: file)
    #expect(throws: DurableSQLiteError.self) { try files.open(at: alias) }
    // The refused openings changed nothing, and closing the vault releases its file.
    _ = try first.credits.grant(5, for: "1", productIdentifier: "five", date: Date(timeIntervalSince1970: 0))
    try first.close()
    let again = try files.open()
    #expect(try again.credits.balance() == 5)
    #expect(again.findings.isEmpty)
  }

  @Test("B9 a vault that another process has open is refused, and available when that process has ended")
  func vaultInAnotherProcess() async throws {
    let first = try files.open()
    _ = try first.credits.grant(5, for: "1", productIdentifier: "five", date: Date(timeIntervalSince1970: 0))
    await #expect(processExitsWith: .exitCode(42)) { [path = files.folder.path as String] in
      do {
        _ = try TestVault(folder: URL(filePath: path), isKept: true).open()
        exit(0)
      } catch DurableSQLiteError.inUse {
        exit(42)
      }
    }
    try first.close()
    // Ends without closing, as a process that is killed does.
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = files.folder.path as String] in
      let vault = try TestVault(folder: URL(filePath: path), isKept: true).open()
      _ = try vault.credits.grant(10, for: "2", productIdentifier: "ten", date: Date(timeIntervalSince1970: 0))
      kill(getpid(), SIGKILL)
    }
    let last = try files.open()
    #expect(try last.credits.balance() == 15)
    #expect(last.findings.isEmpty)
  }

  @Test("B9 a device's folder has one owner: a second device is refused, in this process and in another")
  func device() async throws {
    let shop = try await TestShop()
    let path = shop.folderURL.path
    #expect(throws: DurableSQLiteError.inUse(path: "\(path)/payment-queue.sqlite", by: .thisProcess)) {
      try StoreKitDevice(connection: shop.store, bundleID: TestShop.bundleID, storage: .directory(shop.folderURL))
    }
    await #expect(processExitsWith: .exitCode(42)) { [path = path as String] in
      do {
        _ = try StoreKitDevice(
          connection: HTTPAppStoreConnection(URL(filePath: "/")), bundleID: TestShop.bundleID,
          storage: .directory(URL(filePath: path)))
        exit(0)
      } catch DurableSQLiteError.inUse {
        exit(42)
      }
    }
    try await shop.device.close()
    _ = try StoreKitDevice(connection: shop.store, bundleID: TestShop.bundleID, storage: .directory(shop.folderURL))
  }
}
