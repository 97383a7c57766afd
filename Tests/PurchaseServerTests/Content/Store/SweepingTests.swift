import Foundation
import NIOCore
import PurchaseLedger
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("Sweeping unreferenced content", .timeLimit(.minutes(30)))
struct SweepingTests {
  private let folder: ScratchFolder
  private let clock: ManualClock
  private let store: FolderContentStore
  private static let day: Int64 = 86_400_000
  /// The digest of content that is not in the store. It makes the set of referenced content non-empty.
  private static let elsewhere = Sample.digest(Data("elsewhere".utf8))

  init() async throws {
    folder = try ScratchFolder()
    clock = ManualClock(SystemClock().now)
    store = try await FolderContentStore(folder: folder.url, clock: clock)
  }

  private func publish(_ text: String) async throws -> ContentDigest {
    try await store.publish(Sample.upload(Data(text.utf8)), limitBytes: .max).digest
  }

  private func sweep(keeping kept: Set<ContentDigest> = [elsewhere]) async throws -> SweptContent {
    try await store.sweep(gracePeriodMilliseconds: Self.day) { kept }
  }

  @Test("Unreferenced files are removed, but not before the grace period is over")
  func unreferenced() async throws {
    let (kept, other) = (try await publish("kept"), try await publish("other"))
    clock.advance(seconds: 86_000)
    #expect(try await sweep(keeping: [kept]) == SweptContent())
    clock.advance(seconds: 1_000)
    #expect(try await sweep(keeping: [kept]) == SweptContent(files: 1, bytes: 5))
    #expect(try await store.size(of: other) == nil)
    #expect(try folder.names() == [kept.description])
  }

  @Test("Content published while the references are read stays")
  func published() async throws {
    let old = try await publish("old")
    clock.advance(seconds: 90_000)
    let swept = try await store.sweep(gracePeriodMilliseconds: Self.day) {
      // The answer takes two days. A file that was published meanwhile is then two days old.
      let new = try await publish("new")
      try Self.setDate(of: folder.path(new.description), clock.now.adding(seconds: 1))
      clock.advance(seconds: 180_000)
      return [Self.elsewhere]
    }
    #expect(swept.files == 1)
    #expect(try folder.names() == [Sample.digest(Data("new".utf8)).description])
    #expect(try await store.size(of: old) == nil)
  }

  @Test("Content published again starts a new grace period")
  func renewed() async throws {
    let digest = try await publish("book")
    try Self.setDate(of: folder.path(digest.description), clock.now.adding(milliseconds: -10 * Self.day))
    _ = try await publish("book")
    #expect(try await sweep() == SweptContent())
    #expect(try folder.names() == [digest.description])
  }

  @Test("If nothing is referenced, nothing is removed: the wrong ledger may have been read")
  func nothingReferred() async throws {
    let digest = try await publish("book")
    clock.advance(seconds: 90_000)
    #expect(try await sweep(keeping: []) == SweptContent(spared: 1))
    #expect(try folder.names() == [digest.description])
    #expect(try await sweep() == SweptContent(files: 1, bytes: 4))
    #expect(try await sweep(keeping: []) == SweptContent())
  }

  @Test("A ledger without references removes nothing, and a log entry says so")
  func emptyLedger() async throws {
    let fixture = try await ServerFixture()
    let before = try fixture.folder.names()
    let empty = try await Ledger(
      database: SQLiteLedgerDatabase(at: nil), anchors: try fixture.bookStore.anchors, apps: [:])
    clock.advance(seconds: 90_000)
    let content = try await FolderContentStore(folder: fixture.folder.url, clock: clock)
    await ContentSweeper(ledger: fixture.ledger, content: content, logger: fixture.log.logger).sweep()
    #expect(!fixture.log.lines.contains { $0.contains("Content was not swept") })
    await ContentSweeper(ledger: empty, content: content, logger: fixture.log.logger).sweep()
    #expect(try fixture.folder.names() == before)
    #expect(
      fixture.log.lines.contains {
        $0.hasPrefix("warning Content was not swept") && $0.hasSuffix("files=\(before.count)")
      }
    )
  }

  @Test("Renewed content starts a new grace period, and its size is returned; missing content returns nil")
  func found() async throws {
    let digest = try await publish("book")
    try Self.setDate(of: folder.path(digest.description), clock.now.adding(milliseconds: -10 * Self.day))
    #expect(try await store.renew(digest) == 4)
    #expect(try await store.renew(Self.elsewhere) == nil)
    #expect(try await sweep() == SweptContent())
    #expect(try folder.names() == [digest.description])
  }

  @Test("An upload whose last bytes came long before its end is dated by its end")
  func stalled() async throws {
    let (line, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
    async let outcome = store.publish(line, limitBytes: .max)
    continuation.yield(ByteBuffer(string: "half"))
    while try folder.names().allSatisfy({ (try? folder.data($0).count) != 4 }) { await Task.yield() }
    try Self.setDate(
      of: folder.path(try #require(try folder.names().first)), clock.now.adding(milliseconds: -10 * Self.day))
    continuation.finish()
    let digest = try await outcome.digest
    #expect(try await sweep() == SweptContent())
    #expect(try folder.names() == [digest.description])
  }

  @Test("Dates are renewed, and names given, under the lock that excludes every sweep")
  func locked() async throws {
    let path = folder.path(".lock")
    let calls = FileCalls()
    let seen = Held()
    let watched = try await FolderContentStore(
      folder: folder.url, clock: clock,
      calls: FileCalls(
        renew: {
          seen.note(path)
          return calls.renew($0)
        },
        rename: {
          seen.note(path)
          return calls.rename($0, $1)
        }))
    let digest = try await watched.publish(Sample.upload(Data("book".utf8)), limitBytes: .max).digest
    #expect(try await watched.renew(digest) == 4)
    #expect(seen.all == [true, true, true])
  }

  /// Whether the folder was locked, at each check.
  private final class Held: Sendable {
    private let seen = LockedValue<[Bool]>([])

    var all: [Bool] { seen.value }

    /// Tries to lock the folder, as another process's sweep does.
    func note(_ path: String) {
      let descriptor = open(path, O_RDWR)
      defer { close(descriptor) }
      let isHeld = flock(descriptor, LOCK_EX | LOCK_NB) != 0
      seen.withLock { $0.append(isHeld) }
    }
  }

  @Test("Other files in the folder are ignored")
  func strangers() async throws {
    for name in ["readme.txt", "ABCDEF", ".hidden", String(repeating: "A", count: 64)] {
      try folder.write(name, Data())
      try Self.setDate(of: folder.path(name), clock.now.adding(milliseconds: -100 * Self.day))
    }
    #expect(try await sweep() == SweptContent())
    #expect(try folder.names().count == 4)
  }

  @Test("Only old uploads that no server is writing are removed")
  func uploads() async throws {
    let names = [".upload-old", ".upload-young", ".upload-busy"]
    for name in names {
      try folder.write(name, "half")
      try Self.setDate(of: folder.path(name), clock.now.adding(seconds: name == names[1] ? -3_500 : -3_700))
    }
    // To the system, this is the upload of another server, which holds its lock.
    let descriptor = open(folder.path(names[2]), O_RDWR)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    _ = try await FolderContentStore(folder: folder.url, clock: clock)
    #expect(try folder.names() == [".upload-busy", ".upload-young"])
    #expect(flock(descriptor, LOCK_UN) == 0)
    #expect(try await sweep() == SweptContent(uploads: 1))
    #expect(try folder.names() == [".upload-young"])
  }

  @Test("An upload that runs for hours is not removed")
  func slow() async throws {
    let (line, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
    async let outcome = store.publish(line, limitBytes: .max)
    continuation.yield(ByteBuffer(string: "half"))
    while try folder.names().allSatisfy({ (try? folder.data($0).count) != 4 }) { await Task.yield() }
    clock.advance(seconds: 100_000)
    #expect(try await sweep() == SweptContent())
    continuation.finish()
    #expect(try await outcome.digest == Sample.digest(Data("half".utf8)))
  }

  @Test("A server killed during an upload leaves nothing visible, and later ones remove the rest")
  func killed() async throws {
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.url.path as String] in
      let store = try await FolderContentStore(folder: URL(filePath: path))
      let pieces = AsyncStream<ByteBuffer> { continuation in
        for _ in 0..<10 { continuation.yield(ByteBuffer(repeating: 3, count: 100_000)) }
      }
      let upload = pieces.map { piece in
        let size = try FileManager.default.contentsOfDirectory(atPath: path).map { name in
          try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.size] as? Int ?? 0
        }.max()
        if size ?? 0 >= 500_000 { kill(getpid(), SIGKILL) }
        return piece
      }
      _ = try await store.publish(upload, limitBytes: .max)
    }
    #expect(try folder.names().count == 1)
    #expect(try folder.names().allSatisfy { ContentDigest($0) == nil })
    // The upload stays, because it might belong to a slow server.
    #expect(try await sweep() == SweptContent())
    clock.advance(seconds: 100_000)
    _ = try await FolderContentStore(folder: folder.url, clock: clock)
    #expect(try folder.names().isEmpty)
  }

  private static func setDate(of path: String, _ date: StoreDate) throws {
    try FileManager.default.setAttributes([.modificationDate: date.date], ofItemAtPath: path)
  }
}
