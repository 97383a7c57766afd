import Crypto
import Foundation

/// A partly downloaded file. Its content is hashed while it is written, and again when the file is opened.
///
/// Unchecked because it has no lock: one thread at a time uses it, but not always the same thread.
final class PartFile: @unchecked Sendable {
  private let descriptor: Int32
  private let url: URL
  private let disk: ContentDisk
  private var hasher = SHA256()
  private(set) var size: Int64 = 0

  /// Opens a part and hashes its content, or creates the file.
  ///
  /// - Throws: ``ContentError``.
  init(at url: URL, disk: ContentDisk) throws {
    self.url = url
    self.disk = disk
    descriptor = open(url.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw ContentError(code: errno, at: url, disk) }
    // If `init` throws, `deinit` does not run, so the file is closed here.
    do {
      size = try Self.hash(descriptor, &hasher)
    } catch {
      close(descriptor)
      throw error
    }
  }

  deinit { close(descriptor) }

  /// Appends bytes.
  ///
  /// - Throws: ``ContentError/diskFull(neededBytes:freeBytes:)`` or ``ContentError/disk(reason:)``. Some bytes may be
  ///   written then, and this object must not be used any more.
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

  /// Removes the content.
  func empty() throws {
    guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw ContentError(code: errno, at: url, disk)
    }
    hasher = SHA256()
    size = 0
  }

  /// The digest of the whole content.
  var digest: FileDigest { FileDigest(hasher.finalize()) }

  /// Makes the content durable.
  func sync() throws {
    guard disk.sync(descriptor) == 0 else { throw ContentError(code: errno, at: url, disk) }
  }

  /// Returns the digest of a file; nil if the file does not exist.
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

  /// Hashes the file from its current position to its end, and returns the number of bytes.
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
