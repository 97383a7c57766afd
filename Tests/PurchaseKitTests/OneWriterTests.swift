import DurableSQLite
import Foundation
import OpenStoreKit
import PurchaseKit
import StoreModel
import Testing

/// One process owns a data folder: two would each give what was paid for.
@Suite("One writer for each data folder", .timeLimit(.minutes(5)))
struct OneWriterTests {
  private let folder = TestFolder()
  private var file: URL { folder.url.appending(path: "credits.sqlite") }

  @Test("B9 credits opened twice in one process: the second is refused with words, also under another name")
  func creditsTwice() throws {
    let first = try SQLiteCreditStore(at: file)
    let error = #expect(throws: DurableSQLiteError.inUse(path: file.path)) { try SQLiteCreditStore(at: file) }
    #expect(error?.purchaseAlert?.contains("in use") == true)
    let detour = folder.url.appending(path: "..").appending(path: folder.url.lastPathComponent)
    #expect(throws: DurableSQLiteError.self) { try SQLiteCreditStore(at: detour.appending(path: "credits.sqlite")) }
    let alias = folder.url.appending(path: "alias.sqlite")
    try FileManager.default.createSymbolicLink(at: alias, withDestinationURL: file)
    #expect(throws: DurableSQLiteError.self) { try SQLiteCreditStore(at: alias) }
    // The refused ones changed nothing, and closing gives the file free.
    _ = try first.grant(5, for: "1", productIdentifier: "five", date: Date(timeIntervalSince1970: 0))
    try first.close()
    #expect(try SQLiteCreditStore(at: file).balance() == 5)
  }

  @Test("B9 credits that another process has open are refused, and free when it has ended")
  func creditsInAnotherProcess() async throws {
    let first = try SQLiteCreditStore(at: file)
    _ = try first.grant(5, for: "1", productIdentifier: "five", date: Date(timeIntervalSince1970: 0))
    await #expect(processExitsWith: .exitCode(42)) { [path = file.path as String] in
      do {
        _ = try SQLiteCreditStore(at: URL(filePath: path))
        exit(0)
      } catch DurableSQLiteError.inUse {
        exit(42)
      }
    }
    try first.close()
    // Ends without closing, as a process that is killed does.
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = file.path as String] in
      let store = try SQLiteCreditStore(at: URL(filePath: path))
      _ = try store.grant(10, for: "2", productIdentifier: "ten", date: Date(timeIntervalSince1970: 0))
      kill(getpid(), SIGKILL)
    }
    #expect(try SQLiteCreditStore(at: file).balance() == 15)
  }

  @Test("B9 a device's folder has one owner: a second device is refused, in this process and in another")
  func device() async throws {
    let shop = try await TestShop()
    let path = shop.folderURL.path
    #expect(throws: DurableSQLiteError.inUse(path: "\(path)/payment-queue.sqlite")) {
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
