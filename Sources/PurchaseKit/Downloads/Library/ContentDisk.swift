import Foundation

/// The disk as far as downloads ask it something: a test's may be small.
struct ContentDisk: Sendable {
  /// How much may still be written where `folder` is, in bytes; nil where the system does not say.
  var freeBytes: @Sendable (_ folder: URL) -> Int64?
  /// Writes as `write(2)` does.
  var write: @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int
  /// Makes a file's content durable, as `fsync(2)` does.
  var sync: @Sendable (_ descriptor: Int32) -> Int32 = { fsync($0) }

  /// Room for what the database has to write.
  static let spareBytes: Int64 = 1 << 20

  static let system = ContentDisk(
    freeBytes: { folder in
      let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder.path)
      return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
    },
    write: { Foundation.write($0, $1.baseAddress, $1.count) })
}
