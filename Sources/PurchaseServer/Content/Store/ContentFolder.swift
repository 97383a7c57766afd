import Foundation

/// The folder of a ``FolderContentStore``: what may lie in it, and who may touch it when.
struct ContentFolder: Sendable {
  let url: URL
  let calls: FileCalls

  func path(of digest: ContentDigest) -> String { url.appending(path: digest.description).path }

  /// Everything in it that is a content file, by its name.
  func digests() throws(ContentStoreError) -> [ContentDigest] { try names().compactMap { ContentDigest($0) } }

  /// The paths of all uploads, whoever's they are.
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

  /// Makes durable which names are in it.
  func sync() throws(ContentStoreError) {
    do {
      try calls.syncFolder(url)
    } catch {
      throw .failed(path: url.path, reason: "\(error)")
    }
  }

  /// Runs `work` while nobody removes files, or while nobody gives them names, on any server that shares the folder.
  ///
  /// A sweep that finds an old file, and then removes what was published in its place just now, would take away what
  /// somebody was told is there.
  func locked<Value>(_ mode: LockMode, _ work: () throws -> Value) throws -> Value {
    // On network file systems an exclusive lock wants a descriptor that can write.
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

  /// What the last call to the system said. `path` is worked out after that is read, because it may call the system, too.
  static func failure(_ path: @autoclosure () -> String) -> ContentStoreError {
    let code = errno
    return switch code {
    case ENOSPC, EDQUOT: .full(path: path())
    default: .failed(path: path(), reason: String(cString: strerror(code)))
    }
  }
}
