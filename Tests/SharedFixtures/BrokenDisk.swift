import Foundation
import GRDBSQLite
import StoreModel

/// Makes SQLite's reads of chosen files fail like those of a broken disk (`EIO`), in this process.
package enum BrokenDisk {
  /// The paths of the files, without symbolic links. Not their inodes: the system gives the inode of a removed file to the next
  /// new file, which may be another test's.
  fileprivate static let broken = LockedValue<Set<String>>([])

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
    guard broken.withLock({ !$0.isEmpty && $0.contains(path(of: file)) }) else {
      return pread(file, bytes, count, offset)
    }
    // A read behind the end of a file needs no disk.
    var status = stat()
    if fstat(file, &status) == 0, offset >= status.st_size { return 0 }
    errno = EIO
    return -1
  }

  /// The path of an open file.
  private static func path(of file: Int32) -> String {
    var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = path.withUnsafeMutableBytes { buffer in
      buffer.withMemoryRebound(to: CChar.self) { readlink("/proc/self/fd/\(file)", $0.baseAddress!, $0.count) }
    }
    return String(decoding: path.prefix(max(0, count)), as: UTF8.self)
  }

  /// Makes the reads of a database and its write-ahead log fail, or succeed again.
  package static func set(_ isBroken: Bool, _ database: URL) throws {
    guard isInstalled else { throw CocoaError(.featureUnsupported) }
    let folder = database.deletingLastPathComponent().resolvingSymlinksInPath()
    let path = folder.appending(path: database.lastPathComponent).path
    broken.withLock { broken in
      for path in [path, path + "-wal"] {
        if isBroken { broken.insert(path) } else { broken.remove(path) }
      }
    }
  }
}
