import Crypto
import Foundation
import NIOCore

/// A file that is being received, under a name of its own until it is whole.
///
/// - Note: Unchecked, because one caller at a time uses it, on threads that may block. Its hash and size need no lock.
final class UploadFile: @unchecked Sendable {
  /// What the names of such files begin with. No digest does.
  static let prefix = ".upload-"

  let path: String
  private let folder: URL
  private let descriptor: CInt
  private let limitBytes: Int64
  private let expectation: ContentExpectation
  private let calls: FileCalls
  private var hash = SHA256()
  private var size: Int64 = 0

  init(
    in folder: URL, limitBytes: Int64, expecting expectation: ContentExpectation, calls: FileCalls
  ) throws(ContentStoreError) {
    self.folder = folder
    path = folder.appending(path: Self.prefix + UUID().uuidString.lowercased()).path
    self.limitBytes = limitBytes
    self.expectation = expectation
    self.calls = calls
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw ContentFolder.failure(folder.path) }
    // Whoever sweeps sees by it that somebody is at work. Where there are no locks, the file's age has to do.
    flock(descriptor, LOCK_EX | LOCK_NB)
  }

  deinit {
    // A child process that is just being started has the descriptor, too, and would keep the lock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  func append(_ buffer: ByteBuffer) throws(ContentStoreError) {
    let (size, isTooMuch) = size.addingReportingOverflow(Int64(buffer.readableBytes))
    guard !isTooMuch, size <= limitBytes else { throw .tooLarge(limitBytes: limitBytes) }
    if let expected = expectation.size, size > expected { throw .sizeDiffers(expected: expected, received: size) }
    guard buffer.withUnsafeReadableBytes(writeAll) else { throw ContentFolder.failure(folder.path) }
    buffer.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
    self.size = size
  }

  private func writeAll(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = calls.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Makes what was received durable, and says what it is.
  ///
  /// - Throws: ``ContentStoreError``, also if it is not what was expected.
  func settle() throws(ContentStoreError) -> StoredContent {
    let content = StoredContent(digest: ContentDigest(hash.finalize()), size: size)
    try expectation.check(content)
    guard calls.sync(descriptor) == 0 else { throw ContentFolder.failure(folder.path) }
    return content
  }

  /// Removes the file, unless it has its lasting name.
  func discard() { unlink(path) }
}
