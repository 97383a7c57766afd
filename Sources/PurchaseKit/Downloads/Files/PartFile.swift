import Crypto
import Foundation

/// A part of a file: what is in it is hashed while it is written, and once more when it is opened again.
///
/// Unchecked because it has no lock: one thread at a time uses it, but not always the same thread.
final class PartFile: @unchecked Sendable {
  private let descriptor: Int32
  private let url: URL
  private let disk: ContentDisk
  private var hasher = SHA256()
  private(set) var size: Int64 = 0

  /// Opens a part and hashes what is in it, or makes it.
  ///
  /// - Throws: ``ContentError/disk(reason:)``.
  init(at url: URL, disk: ContentDisk) throws {
    self.url = url
    self.disk = disk
    descriptor = open(url.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw ContentError(code: errno, at: url, disk) }
    // What throws here leaves no object behind to close the file.
    do {
      size = try Self.hash(descriptor, &hasher)
    } catch {
      close(descriptor)
      throw error
    }
  }

  deinit { close(descriptor) }

  /// - Throws: ``ContentError/diskFull(neededBytes:freeBytes:)`` or ``ContentError/disk(reason:)``; some of it may be
  ///   in the file then, and this object is not to be used any more.
  func write(_ bytes: Data) throws {
    try bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let count = disk.write(descriptor, UnsafeRawBufferPointer(rebasing: rest))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw ContentError(code: errno, at: url, disk, neededBytes: Int64(rest.count)) }
        rest = rest.dropFirst(count)
      }
    }
    hasher.update(data: bytes)
    size += Int64(bytes.count)
  }

  /// Removes what is in it.
  func empty() throws {
    guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw ContentError(code: errno, at: url, disk)
    }
    hasher = SHA256()
    size = 0
  }

  /// Of all that is in it.
  var digest: FileDigest { FileDigest(hasher.finalize()) }

  /// Makes durable what is in it.
  func sync() throws {
    guard disk.sync(descriptor) == 0 else { throw ContentError(code: errno, at: url, disk) }
  }

  /// Of a file; nil where there is none.
  static func digest(of url: URL) throws -> FileDigest? {
    let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw failure()
    }
    defer { close(descriptor) }
    var hasher = SHA256()
    _ = try hash(descriptor, &hasher)
    return FileDigest(hasher.finalize())
  }

  /// Leaves the file's position at its end.
  private static func hash(_ descriptor: Int32, _ hasher: inout SHA256) throws -> Int64 {
    var buffer = [UInt8](repeating: 0, count: 256 * 1024)
    var size: Int64 = 0
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count == 0 { return size }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure() }
      buffer.withUnsafeBytes { hasher.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      size += Int64(count)
    }
  }

  private static func failure() -> ContentError { .disk(reason: String(cString: strerror(errno))) }
}
