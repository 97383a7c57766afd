import DurableSQLite
import Foundation
import NIOCore
import NIOPosix
import StoreModel

/// Content in a folder, which several servers may share over a network file system.
///
/// A file's name is its SHA-256 in lower-case hexadecimal digits. Whatever else is in the folder begins with a dot.
public struct FolderContentStore: ContentStore {
  /// How an upload is known to be nobody's: it was not written to for this long, and nobody holds its lock.
  static let abandonedMilliseconds: Int64 = 3_600_000

  let folder: ContentFolder
  let chunkBytes: Int
  let clock: any MachineClock
  let threads: NIOThreadPool
  let calls: FileCalls

  /// Opens the folder, makes it if it is not there, and removes the uploads that were killed in it.
  ///
  /// - Parameters:
  ///   - ledger: Whose content it is. The folder keeps that, and from then on opens for no other. Nil where it is nobody's.
  ///   - chunkBytes: How much is read at once, 64 to 256 KiB.
  ///   - clock: Says how old files are. It should agree with the clock of the folder's file server.
  ///   - threads: Where files are worked on.
  /// - Throws: ``ContentStoreError``.
  public init(
    folder: URL, ledger: UUID? = nil, chunkBytes: Int = 128 * 1024, clock: any MachineClock = SystemClock(),
    threads: NIOThreadPool = .singleton
  ) async throws {
    try await self.init(
      folder: folder, ledger: ledger, chunkBytes: chunkBytes, clock: clock, threads: threads, calls: FileCalls())
  }

  init(
    folder: URL, ledger: UUID? = nil, chunkBytes: Int = 128 * 1024, clock: any MachineClock,
    threads: NIOThreadPool = .singleton, calls: FileCalls
  ) async throws {
    self.folder = ContentFolder(url: folder, calls: calls)
    self.chunkBytes = min(max(chunkBytes, 64 * 1024), 256 * 1024)
    self.clock = clock
    self.threads = threads
    self.calls = calls
    let (here, now) = (self.folder, clock.now)
    try await threads.blocking {
      do {
        try DurableFolder.make(folder)
      } catch {
        throw ContentStoreError.failed(path: folder.path, reason: "\(error)")
      }
      // Before anything is removed.
      if let ledger { try here.belong(to: ledger) }
      _ = try Self.removeAbandonedUploads(in: here, now: now)
      // What a server that was killed had published, and not yet made durable, is about to be relied on.
      try here.sync()
    }
  }

  public func size(of digest: ContentDigest) async throws -> Int64? {
    try await threads.blocking { [folder] in
      do {
        return try OpenedContent(digest, in: folder).size
      } catch ContentStoreError.missing {
        return nil
      }
    }
  }

  public func read(_ digest: ContentDigest, _ range: Range<Int64>) async throws -> ContentChunks {
    let content = try await threads.blocking { [folder] in try OpenedContent(digest, in: folder) }
    guard range.lowerBound >= 0, range.upperBound <= content.size else {
      throw ContentStoreError.damaged(
        digest, reason: "it has \(content.size) bytes, and \(range.upperBound) are wanted")
    }
    return ContentChunks(range, chunkBytes: chunkBytes) { [threads] part in
      try await threads.blocking { try content.read(part) }
    }
  }
}
