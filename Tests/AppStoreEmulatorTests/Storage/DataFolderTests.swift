import DurableSQLite
import Foundation
import GRDB
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The emulator's data folder", .timeLimit(.minutes(30)))
struct DataFolderTests {
  private func path(_ folder: ScratchFolder) -> String { folder.url.appending(path: "store.sqlite").path }

  @Test("has one owner: a second store of the same process is refused because the folder is in use")
  func secondStore() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let shop = try await TeaShop(directory: folder.url)
    #expect(throws: DurableSQLiteError.inUse(path: path(folder), by: .thisProcess)) {
      try EmulatedAppStore(EmulatedAppStore.Configuration(directory: folder.url))
    }
    #expect(try await shop.store.apps().count == 1, "the owner is not disturbed")
    try shop.store.close()
    let next = try EmulatedAppStore(EmulatedAppStore.Configuration(directory: folder.url))
    #expect(try await next.apps().count == 1)
    try next.close()
  }

  @Test("has one owner: another process is refused until the owner ends")
  func otherProcess() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let shop = try await TeaShop(directory: folder.url)
    await #expect(processExitsWith: .exitCode(42)) { [folder = folder.url.path as String] in
      do {
        _ = try EmulatedAppStore(EmulatedAppStore.Configuration(directory: URL(filePath: folder)))
      } catch DurableSQLiteError.inUse {
        exit(42)
      }
    }
    try shop.store.close()
    await #expect(processExitsWith: .exitCode(43)) { [folder = folder.url.path as String] in
      let store = try EmulatedAppStore(EmulatedAppStore.Configuration(directory: URL(filePath: folder)))
      exit(try await store.apps().count == 1 ? 43 : 1)
    }
  }

  @Test("B9 a killed process keeps what it had answered: one charge, delivered to the next request")
  func death() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    await #expect(processExitsWith: .signal(SIGKILL)) { [folder = folder.url.path as String] in
      let shop = try await TeaShop(directory: URL(filePath: folder))
      let phone = try await shop.phone()
      try await shop.buy(on: phone)
      kill(getpid(), SIGKILL)
    }
    let shop = try await TeaShop(directory: folder.url)
    let phone = try await shop.phone()
    #expect(try await shop.store.charges().count == 1)
    #expect(try await shop.store.unfinished(for: phone.id).deliveries.map(\.paymentID) == ["payment 1"])
    try await shop.buy(on: phone)
    #expect(try await shop.store.charges().count == 1)
    try shop.store.close()
  }

  @Test("key files are of mode 0600 in a folder of mode 0700")
  func keyFiles() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let shop = try await TeaShop(directory: folder.url)
    try await shop.buy(on: try await shop.phone())
    _ = try shop.store.authority.apiKey()
    _ = try shop.store.authority.tlsRootCertificate
    let keys = folder.url.appending(path: "keys")
    let names = try FileManager.default.contentsOfDirectory(atPath: keys.path)
    #expect(names.filter { $0.hasSuffix(".pem") }.count >= 8)
    for path in names.map({ keys.appending(path: $0).path }) { #expect(try mode(of: path) == 0o600) }
    #expect(try mode(of: keys.path) == 0o700)
    try shop.store.close()
  }

  @Test("the database, which holds passwords and secrets, is readable by its owner only")
  func bookFiles() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let shop = try await TeaShop(directory: folder.url.appending(path: "made by the store"))
    #expect(try mode(of: folder.url.appending(path: "made by the store").path) == 0o700)
    try shop.store.close()
  }

  @Test("a folder of keys elsewhere is used in place of the one in the data folder")
  func keyDirectory() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let keys = folder.url.appending(path: "elsewhere")
    let first = try await TeaShop(directory: folder.url.appending(path: "a"), keyDirectory: keys)
    let second = try await TeaShop(directory: folder.url.appending(path: "b"), keyDirectory: keys)
    #expect(try first.store.authority.anchors == second.store.authority.anchors)
    #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "a/keys").path))
    try first.store.close()
    try second.store.close()
  }

  @Test("a database that is no store's, or from a newer version, is refused and left as it is")
  func foreignDatabase() throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let file = folder.url.appending(path: "store.sqlite")
    let text = Data(repeating: 0x41, count: 4096)
    try text.write(to: file)
    #expect(throws: DurableSQLiteError.self) {
      try EmulatedAppStore(EmulatedAppStore.Configuration(directory: folder.url))
    }
    #expect(try Data(contentsOf: file) == text)

    try FileManager.default.removeItem(at: file)
    try EmulatedAppStore(EmulatedAppStore.Configuration(directory: folder.url)).close()
    let database = try DatabaseQueue(path: file.path)
    try database.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('999 from the future')") }
    try database.close()
    #expect(throws: DurableSQLiteError.newerVersion(path: file.path)) {
      try EmulatedAppStore(EmulatedAppStore.Configuration(directory: folder.url))
    }
  }

  @Test("after it was closed a store answers with an error, whatever it is asked")
  func closed() async {
    await #expect(processExitsWith: .exitCode(44)) {
      let shop = try await TeaShop()
      try shop.store.close()
      do {
        _ = try await shop.store.apps()
      } catch {
        exit(44)
      }
    }
  }

  private func mode(of path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? NSNumber).intValue
  }
}
