import Foundation
import StoreModel

extension FolderContentStore {
  public func sweep(
    gracePeriodMilliseconds: Int64, keeping referenced: @Sendable () async throws -> Set<ContentDigest>
  ) async throws -> SweptContent {
    let now = clock.now
    let kept = try await referenced()
    return try await threads.blocking { [folder] in
      var swept = SweptContent()
      let unreferenced = try folder.digests().filter { !kept.contains($0) }
      // If the ledger refers to no content at all, it is probably a new or the wrong ledger. Then no content is
      // removed, and the files that would have been removed are counted.
      if kept.isEmpty {
        swept.spared = try unreferenced.filter {
          try Self.file(folder.path(of: $0)).map { $0.date < now.adding(milliseconds: -gracePeriodMilliseconds) }
            ?? false
        }.count
      }
      for digest in unreferenced where !kept.isEmpty {
        let path = folder.path(of: digest)
        try folder.locked(.sweeping) {
          // Checked again under the lock, because the file may have been published again since the folder was listed.
          guard let file = try Self.file(path), file.date < now.adding(milliseconds: -gracePeriodMilliseconds) else {
            return
          }
          try Self.remove(path)
          swept.files += 1
          swept.bytes += file.size
        }
      }
      swept.uploads = try Self.removeAbandonedUploads(in: folder, now: now)
      try folder.sync()
      return swept
    }
  }

  /// Removes the temporary files of uploads that were interrupted by the end of their server.
  ///
  /// Another server may be receiving an upload in the same folder. So a file is removed only if it is old and its lock is free.
  /// The lock alone does not suffice: a file is not locked yet when it was just created, and some network file systems do not
  /// share locks between machines.
  static func removeAbandonedUploads(in folder: ContentFolder, now: StoreDate) throws(ContentStoreError) -> Int {
    var count = 0
    for path in try folder.uploads() {
      guard let file = try file(path), file.date < now.adding(milliseconds: -abandonedMilliseconds) else { continue }
      let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else {
        if errno == ENOENT { continue }
        throw ContentFolder.failure(path)
      }
      defer { close(descriptor) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { continue }
      try remove(path)
      count += 1
    }
    return count
  }

  /// Returns the date and size of a file, or nil if it does not exist.
  private static func file(_ path: String) throws(ContentStoreError) -> (date: StoreDate, size: Int64)? {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT { return nil }
      throw ContentFolder.failure(path)
    }
    let seconds = Int64(status.st_mtim.tv_sec)
    return (StoreDate(millisecondsSince1970: 0).adding(seconds: seconds), Int64(status.st_size))
  }

  private static func remove(_ path: String) throws(ContentStoreError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw ContentFolder.failure(path) }
  }
}
