import Foundation

/// The disk operations of downloads. Tests replace them, for instance to simulate a small disk.
struct ContentDisk: Sendable {
  /// Returns the free space on the disk of `folder`, in bytes; nil if it is not known.
  var freeBytes: @Sendable (_ folder: URL) -> Int64?
  /// Writes as `write(2)` does.
  var write: @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int
  /// Makes a file's content durable, as `fsync(2)` does.
  var sync: @Sendable (_ descriptor: Int32) -> Int32 = { fsync($0) }

  /// The free space to leave for the database, in bytes.
  static let spareBytes: Int64 = 1 << 20

  static let system = ContentDisk(
    freeBytes: { folder in
      let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder.path)
      return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
    },
    write: { Foundation.write($0, $1.baseAddress, $1.count) })
}
