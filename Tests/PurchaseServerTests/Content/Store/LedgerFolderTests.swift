import Foundation
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("A content folder belongs to one ledger", .timeLimit(.minutes(30)))
struct LedgerFolderTests {
  private let folder: ScratchFolder
  private let one = UUID()
  private let other = UUID()

  init() throws { folder = try ScratchFolder() }

  private func open(_ ledger: UUID, clock: any MachineClock = SystemClock()) async throws -> FolderContentStore {
    try await FolderContentStore(folder: folder.url, ledger: ledger, clock: clock)
  }

  @Test("The first ledger's id is stored once; the folder can be opened for that ledger only")
  func stamp() async throws {
    let digest = try await open(one).publish(Sample.upload(Data("book".utf8)), limitBytes: .max).digest
    let stamp = try folder.data(".ledger")
    #expect(stamp == Data("\(one.uuidString.lowercased())\n".utf8))
    await #expect(
      throws: ContentStoreError.otherLedger(
        stamp: folder.path(".ledger"), stamped: one.uuidString.lowercased(), given: other.uuidString.lowercased())
    ) {
      _ = try await open(other)
    }
    #expect(try await open(one).size(of: digest) == 4)
    #expect(try folder.names() == [".ledger", digest.description])
    #expect(try folder.data(".ledger") == stamp)
  }

  @Test("A server of another ledger removes nothing, not even an abandoned upload")
  func nothingRemoved() async throws {
    _ = try await open(one)
    try folder.write(".upload-old", "half")
    let later = ManualClock(SystemClock().now.adding(seconds: 10_000))
    await #expect(throws: ContentStoreError.self) { _ = try await open(other, clock: later) }
    #expect(try folder.names() == [".ledger", ".upload-old"])
    _ = try await open(one, clock: later)
    #expect(try folder.names() == [".ledger"])
  }

  @Test("A folder with an unreadable stamp is refused for every ledger", arguments: ["", "rubbish", "\n"])
  func damaged(text: String) async throws {
    try folder.write(".ledger", text)
    await #expect(throws: ContentStoreError.self) { _ = try await open(one) }
    #expect(try folder.data(".ledger") == Data(text.utf8))
  }

  @Test("Of several ledgers that open it at once, one gets the folder, and the error says what to do")
  func race() async throws {
    let winners = try await withThrowingTaskGroup(of: UUID?.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let ledger = UUID()
          do {
            _ = try await open(ledger)
            return ledger
          } catch let error as ContentStoreError {
            #expect(error.description.contains("remove \(folder.path(".ledger"))"))
            return nil
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }.compactMap { $0 }
    }
    #expect(winners.count == 1)
    #expect(try folder.data(".ledger") == Data("\(winners.first?.uuidString.lowercased() ?? "")\n".utf8))
  }
}
