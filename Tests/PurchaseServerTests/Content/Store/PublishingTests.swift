import Foundation
import NIOCore
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("Publishing content into a folder", .timeLimit(.minutes(30)))
struct PublishingTests {
  private let folder: ScratchFolder
  private let store: FolderContentStore

  init() async throws {
    folder = try ScratchFolder()
    store = try await FolderContentStore(folder: folder.url, clock: ManualClock(Sample.noon))
  }

  private func publish(
    _ data: Data, limitBytes: Int64 = .max, expecting: ContentExpectation = .anything
  ) async throws -> StoredContent {
    try await store.publish(Sample.upload(data), limitBytes: limitBytes, expecting: expecting)
  }

  @Test(
    "Published content is stored under its digest, complete, and publishing it twice gives one file",
    arguments: [0, 1, 60_000, 1_000_003])
  func publishing(count: Int) async throws {
    let data = Sample.bytes(count)
    let digest = Sample.digest(data)
    for _ in 0..<2 {
      let content = try await publish(data, expecting: .init(digest: digest, size: Int64(count)))
      #expect(content == StoredContent(digest: digest, size: Int64(count)))
      #expect(try folder.names() == [digest.description])
      #expect(try folder.data(digest.description) == data)
    }
    #expect(try await store.size(of: digest) == Int64(count))
    #expect(try await store.data(digest, 0..<Int64(count)) == data)
    let mode = try FileManager.default.attributesOfItem(atPath: folder.path(digest.description))[.posixPermissions]
    #expect(mode as? Int == 0o600)
  }

  @Test("Concurrent uploads of the same content give one file")
  func together() async throws {
    let data = Sample.bytes(300_000)
    try await withThrowingTaskGroup(of: StoredContent.self) { group in
      for _ in 0..<8 { group.addTask { try await publish(data) } }
      for try await content in group { #expect(content.digest == Sample.digest(data)) }
    }
    #expect(try folder.names() == [Sample.digest(data).description])
  }

  @Test("An upload that differs from its announcement is refused and leaves nothing")
  func expectations() async throws {
    let data = Sample.bytes(200_000)
    let (right, wrong) = (Sample.digest(data), Sample.digest(Data()))
    await #expect(throws: ContentStoreError.digestDiffers(expected: wrong, received: right)) {
      try await publish(data, expecting: .init(digest: wrong))
    }
    await #expect(throws: ContentStoreError.sizeDiffers(expected: 200_001, received: 200_000)) {
      try await publish(data, expecting: .init(digest: right, size: 200_001))
    }
    // The upload is refused as soon as it is too long.
    await #expect(throws: ContentStoreError.sizeDiffers(expected: 10, received: 60_000)) {
      try await publish(data, expecting: .init(size: 10))
    }
    #expect(try folder.names().isEmpty)
  }

  @Test("An upload above the limit is refused as soon as it exceeds it, and leaves nothing")
  func limit() async throws {
    let data = Sample.bytes(120_000)
    #expect(try await publish(data, limitBytes: 120_000).size == 120_000)
    let endless = AsyncStream<ByteBuffer> { ByteBuffer(repeating: 7, count: 50_000) }
    await #expect(throws: ContentStoreError.tooLarge(limitBytes: 119_999)) {
      try await store.publish(endless, limitBytes: 119_999)
    }
    #expect(try folder.names() == [Sample.digest(data).description])
  }

  @Test("An interrupted upload leaves nothing, and is invisible before")
  func interrupted() async throws {
    struct LineDropped: Error {}
    let data = Sample.bytes(100_000)
    let (line, continuation) = AsyncThrowingStream.makeStream(of: ByteBuffer.self)
    let task = Task { try await store.publish(line, limitBytes: .max) }
    continuation.yield(ByteBuffer(bytes: data))
    // Waits until the bytes are in the folder.
    while try folder.names().allSatisfy({ (try? folder.data($0).count) != 100_000 }) { await Task.yield() }
    #expect(try await store.size(of: Sample.digest(data)) == nil)
    #expect(try folder.names().allSatisfy { ContentDigest($0) == nil })
    continuation.finish(throwing: LineDropped())
    await #expect(throws: LineDropped.self) { try await task.value }
    #expect(try folder.names().isEmpty)
  }

  @Test("An upload whose task is cancelled is not treated as complete")
  func cancelled() async throws {
    let (line, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
    let task = Task { try await store.publish(line, limitBytes: .max) }
    continuation.yield(ByteBuffer(repeating: 1, count: 1000))
    while try folder.names().isEmpty { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try folder.names().isEmpty)
  }

  @Test("A full disk is reported as such, and nothing is left")
  func full() async throws {
    let disk = SmallDisk(bytes: 100_000)
    let store = try await self.store(FileCalls(write: { disk.write($0, $1, $2) }))
    await #expect(throws: ContentStoreError.full(path: folder.url.path)) {
      try await store.publish(Sample.upload(Sample.bytes(200_000)), limitBytes: .max)
    }
    #expect(try folder.names().isEmpty)
    #expect(disk.left == 0)
  }

  /// A disk that writes few bytes at a time, and is full after a number of bytes.
  private final class SmallDisk: Sendable {
    private let bytes: LockedValue<Int>

    init(bytes: Int) { self.bytes = LockedValue(bytes) }

    var left: Int { bytes.value }

    func write(_ descriptor: CInt, _ source: UnsafeRawPointer?, _ count: Int) -> Int {
      bytes.withLock { bytes in
        guard bytes > 0 else {
          errno = ENOSPC
          return -1
        }
        let written = Foundation.write(descriptor, source, min(count, bytes, 7_001))
        bytes -= max(0, written)
        return written
      }
    }
  }

  @Test("Bytes that the system accepts in small parts are all written, in order")
  func pieces() async throws {
    let data = Sample.bytes(200_000)
    let disk = SmallDisk(bytes: .max)
    let store = try await self.store(FileCalls(write: { disk.write($0, $1, $2) }))
    #expect(try await store.publish(Sample.upload(data), limitBytes: .max).digest == Sample.digest(data))
    #expect(try folder.data(Sample.digest(data).description) == data)
  }

  private func store(_ calls: FileCalls) async throws -> FolderContentStore {
    try await FolderContentStore(folder: folder.url, clock: ManualClock(Sample.noon), calls: calls)
  }

  @Test("The bytes are durable before they have a name, and the name before the result is returned")
  func order() async throws {
    let log = Log()
    let calls = FileCalls()
    let store = try await self.store(
      FileCalls(
        write: { log.note("write", calls.write($0, $1, $2)) }, sync: { log.note("sync", calls.sync($0)) },
        rename: { log.note("rename", calls.rename($0, $1)) },
        syncFolder: { log.note("sync folder", try calls.syncFolder($0)) }))
    #expect(log.taken() == ["sync folder"])
    for _ in 0..<2 {
      _ = try await store.publish(Sample.upload(Sample.bytes(100_000)), limitBytes: .max)
      #expect(log.taken() == ["write", "write", "sync", "rename", "sync folder"])
    }
  }

  private final class Log: Sendable {
    private let lines = LockedValue<[String]>([])

    func note<Value>(_ line: String, _ value: Value) -> Value {
      lines.withLock { $0.append(line) }
      return value
    }

    /// Returns the lines since the last call.
    func taken() -> [String] {
      lines.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }
  }

  @Test("If the disk turns out to be full at the sync or the rename, nothing is left")
  func fullLate() async throws {
    let fails: @Sendable () -> CInt = {
      errno = EDQUOT
      return -1
    }
    for calls in [FileCalls(sync: { _ in fails() }), FileCalls(rename: { _, _ in fails() })] {
      await #expect(throws: ContentStoreError.full(path: folder.url.path)) {
        try await self.store(calls).publish(Sample.upload(Sample.bytes(1000)), limitBytes: .max)
      }
      #expect(try folder.names().isEmpty)
    }
  }

  @Test("Damaged content is repaired when it is published again")
  func healing() async throws {
    let data = Sample.bytes(1000)
    let digest = try await publish(data).digest
    try folder.write(digest.description, "rubbish")
    _ = try await publish(data)
    #expect(try folder.data(digest.description) == data)
  }

  @Test("An unusable folder is refused with its path")
  func noFolder() async throws {
    try folder.write("file", Data())
    let path = folder.url.appending(path: "file/content")
    let error = await #expect(throws: ContentStoreError.self) { try await FolderContentStore(folder: path) }
    #expect(error?.description.contains(path.path) == true)
  }
}
