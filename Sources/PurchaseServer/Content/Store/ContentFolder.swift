import DurableSQLite
import Foundation

/// The folder of a ``FolderContentStore``: the names of its files, and its lock.
struct ContentFolder: Sendable {
  let url: URL
  let calls: FileCalls

  func path(of digest: ContentDigest) -> String { url.appending(path: digest.description).path }

  /// Returns the digests of all content files in the folder.
  func digests() throws(ContentStoreError) -> [ContentDigest] { try names().compactMap { ContentDigest($0) } }

  /// Returns the paths of all temporary files of uploads, including those of other servers.
  func uploads() throws(ContentStoreError) -> [String] {
    try names().filter { $0.hasPrefix(UploadFile.prefix) }.map { url.appending(path: $0).path }
  }

  private func names() throws(ContentStoreError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: url.path)
    } catch {
      throw .failed(path: url.path, reason: error.localizedDescription)
    }
  }

  /// Makes the folder's file names durable.
  func sync() throws(ContentStoreError) {
    do {
      try calls.syncFolder(url)
    } catch {
      throw .failed(path: url.path, reason: "\(error)")
    }
  }

  /// Runs `work` under the folder's lock, which all servers that share the folder use.
  ///
  /// Several servers may publish at once, but only one may sweep, and not while another publishes. Otherwise a sweep could find
  /// an old file and then remove the new one that was just published in its place.
  func locked<Value>(_ mode: LockMode, _ work: () throws -> Value) throws -> Value {
    // On network file systems an exclusive lock requires a writable descriptor.
    let descriptor = open(url.appending(path: ".lock").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(url.path) }
    defer { close(descriptor) }
    while flock(descriptor, mode == .publishing ? LOCK_SH : LOCK_EX) != 0 {
      guard errno == EINTR else { throw Self.failure(url.path) }
    }
    defer { flock(descriptor, LOCK_UN) }
    return try work()
  }

  enum LockMode {
    case publishing, sweeping
  }

  /// Returns the error of the last system call. `errno` is read first, because evaluating `path` may change it.
  static func failure(_ path: @autoclosure () -> String) -> ContentStoreError {
    let code = errno
    return switch code {
    case ENOSPC, EDQUOT: .full(path: path())
    default: .failed(path: path(), reason: String(cString: strerror(code)))
    }
  }
}

extension ContentFolder {
  /// The file with the id of the folder's ledger.
  private var stamp: URL { url.appending(path: ".ledger") }

  /// Checks that the folder belongs to a ledger. The first call stores the ledger's id in the folder.
  ///
  /// A server with another ledger would remove all files in a sweep, because its ledger does not refer to them.
  ///
  /// - Throws: ``ContentStoreError/otherLedger(stamp:stamped:given:)``.
  func belong(to ledger: UUID) throws {
    let given = ledger.uuidString.lowercased()
    try locked(.sweeping) {
      let stamped: Data?
      do {
        stamped = try DurableFile.read(stamp)
        if stamped == nil { try DurableFile.replace(stamp, with: Data("\(given)\n".utf8)) }
      } catch {
        throw ContentStoreError.failed(path: stamp.path, reason: "\(error)")
      }
      guard let stamped else { return }
      let text = String(decoding: stamped.prefix(200), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
      guard text == given else {
        throw ContentStoreError.otherLedger(stamp: stamp.path, stamped: text, given: given)
      }
    }
  }
}
