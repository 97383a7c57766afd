import Foundation
import NIOCore
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("Reading content from a folder", .timeLimit(.minutes(30)))
struct ReadingTests {
  private let folder: ScratchFolder
  private let store: FolderContentStore
  private let data = Sample.bytes(500_000)

  init() async throws {
    folder = try ScratchFolder()
    store = try await FolderContentStore(folder: folder.url, chunkBytes: 65_536, clock: ManualClock(Sample.noon))
    _ = try await store.publish(Sample.upload(data), limitBytes: .max)
  }

  @Test("A part is read in chunks of the configured size, except the last")
  func chunks() async throws {
    var sizes: [Int] = []
    for try await chunk in try await store.read(Sample.digest(data), 100..<300_000) {
      sizes.append(chunk.readableBytes)
    }
    #expect(sizes == [65_536, 65_536, 65_536, 65_536, 37_756])
    #expect(try await store.data(Sample.digest(data), 100..<300_000) == data[100..<300_000])
    #expect(try await store.data(Sample.digest(data), 7..<7).isEmpty)
  }

  @Test("Chunks begin at 128 KiB and become twice as long, up to the configured size")
  func growing() async throws {
    let kibibyte: Int64 = 1024
    var sizes: [Int] = []
    let chunks = ContentChunks(5..<2000 * kibibyte, chunkBytes: 512 * 1024) { part in
      ByteBuffer(repeating: 0, count: part.count)
    }
    for try await chunk in chunks { sizes.append(chunk.readableBytes) }
    #expect(sizes == [128 * 1024, 256 * 1024, 512 * 1024, 512 * 1024, 512 * 1024, 80 * 1024 - 5])
  }

  @Test("Missing content, or a directory, is an error that says so")
  func missing() async throws {
    let digest = Sample.digest(Data("other".utf8))
    #expect(try await store.size(of: digest) == nil)
    await #expect(throws: ContentStoreError.missing(digest)) { try await store.read(digest, 0..<1) }
    try FileManager.default.createSymbolicLink(
      atPath: folder.path(digest.description), withDestinationPath: "/etc/passwd")
    await #expect(throws: ContentStoreError.self) { try await store.read(digest, 0..<1) }
    await #expect(throws: ContentStoreError.self) { try await store.size(of: digest) }
  }

  @Test("A named pipe is no content: opening it does not wait for a writer")
  func pipe() async throws {
    let digest = Sample.digest(Data("pipe".utf8))
    try #require(mkfifo(folder.path(digest.description), 0o600) == 0)
    await #expect(throws: ContentStoreError.damaged(digest, reason: "it is no file")) {
      try await store.read(digest, 0..<1)
    }
  }

  @Test("A file that became shorter is damaged, and no bytes are invented for it")
  func short() async throws {
    let digest = Sample.digest(data)
    let chunks = try await store.read(digest, 0..<500_000)
    #expect(truncate(folder.path(digest.description), 100_000) == 0)
    await #expect(throws: ContentStoreError.damaged(digest, reason: "it is cut off")) { for try await _ in chunks {} }
    await #expect(throws: ContentStoreError.self) { try await store.read(digest, 0..<500_000) }
  }

  @Test("A file that is swept while it is read can be read to its end")
  func swept() async throws {
    let digest = Sample.digest(data)
    let chunks = try await store.read(digest, 0..<500_000)
    #expect(unlink(folder.path(digest.description)) == 0)
    var read = Data()
    for try await chunk in chunks { read.append(contentsOf: chunk.readableBytesView) }
    #expect(read == data)
  }
}
