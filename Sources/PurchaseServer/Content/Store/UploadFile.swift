import Crypto
import DurableSQLite
import Foundation
import NIOCore
import NIOPosix

/// The temporary file of an upload, which gets its final name when it is complete.
///
/// - Note: The class is `@unchecked Sendable`: only one caller at a time uses it, so its hash and size need no lock.
final class UploadFile: @unchecked Sendable {
  /// The prefix of the file's name. No digest begins with it.
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
    // The lock shows a sweep that the upload is in progress. On file systems without locks, the sweep relies on the
    // file's age.
    flock(descriptor, LOCK_EX | LOCK_NB)
  }

  deinit {
    // The file is unlocked explicitly. A child process that is being started may have inherited the descriptor, and
    // would keep the lock.
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

  /// Makes the received content durable, and returns its digest and size.
  ///
  /// - Throws: ``ContentStoreError``, also if the content differs from the expected digest or size.
  func settle() throws(ContentStoreError) -> StoredContent {
    let content = StoredContent(digest: ContentDigest(hash.finalize()), size: size)
    try expectation.check(content)
    guard calls.sync(descriptor) == 0 else { throw ContentFolder.failure(folder.path) }
    return content
  }

  /// Removes the temporary file, if it was not renamed.
  func discard() { unlink(path) }
}

/// The system calls of publishing. Tests replace them to observe them or to simulate errors, such as a full disk.
struct FileCalls: Sendable {
  /// `write(2)`.
  var write: @Sendable (_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int = {
    Foundation.write($0, $1, $2)
  }
  /// `fsync(2)` of a file.
  var sync: @Sendable (_ descriptor: CInt) -> CInt = { fsync($0) }
  /// `utimensat(2)`: sets the date of a file to the current date.
  var renew: @Sendable (_ path: String) -> CInt = { utimensat(AT_FDCWD, $0, nil, AT_SYMLINK_NOFOLLOW) }
  /// `rename(2)`.
  var rename: @Sendable (_ old: String, _ new: String) -> CInt = { Foundation.rename($0, $1) }
  /// Makes a folder's file names durable.
  var syncFolder: @Sendable (_ folder: URL) throws -> Void = { try DurableFolder.sync($0) }
}

extension NIOThreadPool {
  /// Runs blocking work on one of the pool's threads.
  ///
  /// Unlike `runIfActive`, it also runs the work if the task was cancelled, because cleanup must happen then, too.
  ///
  /// - Throws: the error of the work, or ``ContentStoreError/stopped``.
  func blocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
      submit { state in
        guard state == .active else {
          continuation.resume(throwing: ContentStoreError.stopped)
          return
        }
        continuation.resume(with: Result { try work() })
      }
    }
  }
}
