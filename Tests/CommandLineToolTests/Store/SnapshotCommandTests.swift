import Foundation
import ShopFixtures
import StoreModel
import Testing

@testable import CommandLineTool

@Suite("openstorekit snapshot and reset", .timeLimit(.minutes(30)))
struct SnapshotCommandTests {
  @Test("a store is saved to a file, emptied, and restored from the file")
  func saveAndRestore() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "snapshot-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "store.sqlite")
    try await RunningStore.open { store in
      let bought = try await store.buy()
      let saved = try await store.run("snapshot", "save", file.path)
      let size = try #require(try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int)
      #expect((saved.status, saved.lines) == (0, ["\(file.path): \(size) bytes"]))
      #expect(try Data(contentsOf: file).starts(with: Data("SQLite format 3".utf8)))

      let reset = try await store.run("reset")
      #expect(reset.status == 0 && reset.output.hasPrefix("The store is empty."))
      #expect(try await store.store.transactions().isEmpty)

      let restored = try await store.run("snapshot", "restore", file.path)
      #expect(restored.status == 0 && restored.output.hasPrefix("The snapshot is restored."))
      #expect(try await store.store.transactions().map(\.record.transactionID.rawValue) == [bought])
    }
  }

  @Test("a missing file, an unusable file and an unwritable place change nothing")
  func mistakes() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "snapshot-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let text = folder.appending(path: "text")
    try Data("no database".utf8).write(to: text)
    try await RunningStore.open { store in
      try await store.buy()
      for (arguments, status, word) in [
        (["restore", folder.path + "/none"], 2, "no such file"), (["restore", text.path], 1, "Nothing was changed"),
        (["save", text.path + "/below/a/file"], 2, "cannot be written"),
      ] as [([String], Int32, String)] {
        let outcome = try await RunningStore.run(["snapshot"] + arguments + ["--store", store.address])
        #expect(outcome.status == status && outcome.messages.contains(word), "\(arguments): \(outcome.messages)")
      }
      #expect(try await store.store.transactions().count == 1)
    }
  }
}
