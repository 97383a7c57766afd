import DurableSQLite
import Foundation
import NIOCore
import NIOPosix
import StoreModel

/// A content store in a folder, which several servers may share over a network file system.
///
/// The name of each file is its SHA-256 in lower-case hexadecimal digits. The names of all other files begin with a dot.
public struct FolderContentStore: ContentStore {
  /// The age after which the temporary file of an upload is abandoned, if its lock is free.
  static let abandonedMilliseconds: Int64 = 3_600_000

  let folder: ContentFolder
  let chunkBytes: Int
  let clock: any MachineClock
  let threads: NIOThreadPool
  let calls: FileCalls

  /// Opens the folder, creates it if it does not exist, and removes the temporary files of interrupted uploads.
  ///
  /// - Parameters:
  ///   - ledger: The id of the ledger that the content belongs to. The folder stores it, and cannot be opened for
  ///     another ledger later. Nil to skip this check.
  ///   - chunkBytes: The maximum size of a chunk that is read at once. It is clamped to 64 to 1,024 KiB.
  ///   - clock: Determines the age of files. It should agree with the clock of the folder's file server.
  ///   - threads: The threads for file access, which may block.
  /// - Throws: ``ContentStoreError``.
  public init(
    folder: URL, ledger: UUID? = nil, chunkBytes: Int = 512 * 1024, clock: any MachineClock = SystemClock(),
    threads: NIOThreadPool = .singleton
  ) async throws {
    try await self.init(
      folder: folder, ledger: ledger, chunkBytes: chunkBytes, clock: clock, threads: threads, calls: FileCalls())
  }

  init(
    folder: URL, ledger: UUID? = nil, chunkBytes: Int = 512 * 1024, clock: any MachineClock,
    threads: NIOThreadPool = .singleton, calls: FileCalls
  ) async throws {
    self.folder = ContentFolder(url: folder, calls: calls)
    self.chunkBytes = min(max(chunkBytes, 64 * 1024), 1024 * 1024)
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
      // Checked before any file is removed.
      if let ledger { try here.belong(to: ledger) }
      _ = try Self.removeAbandonedUploads(in: here, now: now)
      // A server that was killed may have renamed files without making their names durable. They are visible now, so they must be
      // durable before the ledger refers to them.
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
