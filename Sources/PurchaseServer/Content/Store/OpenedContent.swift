import Foundation
import NIOCore

/// An open content file. It can be read to its end even if it is removed meanwhile.
final class OpenedContent: Sendable {
  let digest: ContentDigest
  let size: Int64
  private let descriptor: CInt

  init(_ digest: ContentDigest, in folder: ContentFolder) throws(ContentStoreError) {
    // Without O_NONBLOCK, opening a named pipe waits for a writer. Reads of files do not change.
    descriptor = open(folder.path(of: digest), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw errno == ENOENT ? .missing(digest) : .damaged(digest, reason: String(cString: strerror(errno)))
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .damaged(digest, reason: "it is no file")
    }
    self.digest = digest
    size = Int64(status.st_size)
  }

  deinit { close(descriptor) }

  /// Reads a range of the file.
  ///
  /// - Parameter range: The range in bytes. All of it is held in memory.
  func read(_ range: Range<Int64>) throws(ContentStoreError) -> ByteBuffer {
    let count = Int(range.upperBound - range.lowerBound)
    var buffer = ByteBufferAllocator().buffer(capacity: count)
    var failure: CInt = 0
    buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
      var done = 0
      while done < count {
        let read = pread(descriptor, bytes.baseAddress! + done, count - done, off_t(range.lowerBound) + done)
        if read < 0, errno == EINTR { continue }
        failure = read < 0 ? errno : 0
        guard read > 0 else { break }
        done += read
      }
      return done
    }
    guard buffer.readableBytes == count else {
      throw .damaged(digest, reason: failure == 0 ? "it is cut off" : String(cString: strerror(failure)))
    }
    return buffer
  }
}
