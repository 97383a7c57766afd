import Foundation
import GRDBSQLite
import StoreModel

/// Makes SQLite's reads of chosen files fail like those of a broken disk (`EIO`), in this process.
package enum BrokenDisk {
  fileprivate struct Inode: Hashable {
    let device: UInt64
    let number: UInt64

    init?(_ status: stat?) {
      guard let status else { return nil }
      (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
  }

  fileprivate static let broken = LockedValue<Set<Inode>>([])

  /// Replaces the system calls with which SQLite reads. Other files are read as before.
  private static let isInstalled: Bool = {
    guard let vfs = sqlite3_vfs_find(nil) else { return false }
    let call = unsafeBitCast(read, to: sqlite3_syscall_ptr.self)
    // SQLite uses one of the two.
    let names: [String] = ["pread", "pread64"]
    return names.map { name in vfs.pointee.xSetSystemCall?(vfs, name, call) == SQLITE_OK }.contains(true)
  }()

  private static let read: @convention(c) (Int32, UnsafeMutableRawPointer?, Int, Int) -> Int = {
    file, bytes, count, offset in
    var status = stat()
    let inode = fstat(file, &status) == 0 ? Inode(status) : nil
    guard inode.map({ inode in broken.withLock { $0.contains(inode) } }) != true else {
      // A read behind the end of a file needs no disk.
      if offset >= status.st_size { return 0 }
      errno = EIO
      return -1
    }
    return pread(file, bytes, count, offset)
  }

  /// Makes the reads of a database and its write-ahead log fail, or succeed again.
  package static func set(_ isBroken: Bool, _ database: URL) throws {
    guard isInstalled else { throw CocoaError(.featureUnsupported) }
    for path in [database.path, database.path + "-wal"] {
      var status = stat()
      guard stat(path, &status) == 0, let inode = Inode(status) else { continue }
      broken.withLock { broken in
        if isBroken { broken.insert(inode) } else { broken.remove(inode) }
      }
    }
  }
}
