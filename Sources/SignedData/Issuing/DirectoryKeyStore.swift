import Foundation

/// Stores keys as files of mode 0600 in a directory of mode 0700.
///
/// A key is first written completely to a temporary file, which has its mode from the start. Then the file is linked to
/// its final name, which fails if that name exists. So no process reads an incomplete file, and if two processes make a
/// key, both use the first one.
struct DirectoryKeyStore: KeyStore {
  let directory: String

  /// Makes the directory with mode 0700 if it is missing. If other users have access to an existing directory, its mode
  /// is changed to 0700.
  init(_ url: URL) throws(IssuingError) {
    directory = url.path
    let parent = url.deletingLastPathComponent()
    if !FileManager.default.fileExists(atPath: directory) {
      do {
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
      } catch {
        throw .keyDirectory(path: directory, reason: "its parent cannot be made (\(error.localizedDescription))")
      }
    }
    guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
      throw .keyDirectory(path: directory, reason: Self.systemError())
    }
    var status = stat()
    guard stat(directory, &status) == 0 else { throw .keyDirectory(path: directory, reason: Self.systemError()) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw .keyDirectory(path: directory, reason: "it is a file") }
    guard status.st_mode & 0o077 == 0 || chmod(directory, 0o700) == 0 else {
      throw .keyDirectory(path: directory, reason: "others may enter it, and its mode cannot be set to 0700")
    }
    // Syncs the name of the directory, and the names of keys that an earlier process may have linked before it was
    // killed. A power failure must not lose a key with which data was already signed.
    try synchronize(parent.path)
    try synchronize(directory)
  }

  func location(of name: String) -> String { "\(directory)/\(name).pem" }

  func holds(_ name: String) -> Bool { access(location(of: name), F_OK) == 0 }

  func text(named name: String, make: () throws -> String) throws -> String {
    let path = location(of: name)
    if let text = try read(path) { return text }
    let temporary = "\(directory)/.\(name).\(UUID().uuidString)"
    try write(try make(), to: temporary)
    defer { unlink(temporary) }
    if link(temporary, path) != 0, errno != EEXIST {
      throw IssuingError.keyDirectory(path: directory, reason: "\(path) cannot be made (\(Self.systemError()))")
    }
    try synchronize(directory)
    guard let text = try read(path) else {
      throw IssuingError.keyDirectory(path: directory, reason: "\(path) vanished while it was written")
    }
    return text
  }

  /// Reads a file; returns nil if it does not exist.
  private func read(_ path: String) throws(IssuingError) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .keyDirectory(path: directory, reason: "\(path) cannot be opened (\(Self.systemError()))")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= 1 << 20 else {
      throw .damagedKeyFile(path: path, reason: "it is not a file of a few kilobytes")
    }
    // If the file was copied or checked out from a repository, other users may have access to it.
    guard status.st_mode & 0o077 == 0 || fchmod(descriptor, 0o600) == 0 else {
      throw .keyDirectory(path: directory, reason: "others may read \(path), and its mode cannot be set to 0600")
    }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes {
        Foundation.read(descriptor, $0.baseAddress! + filled, $0.count - filled)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .keyDirectory(path: directory, reason: "\(path) cannot be read") }
      filled += count
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Makes a new file of mode 0600 and writes `text` to it.
  func write(_ text: String, to path: String) throws(IssuingError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw .keyDirectory(path: directory, reason: "no file can be made in it (\(Self.systemError()))")
    }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress! + written, $0.count - written) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let reason = Self.systemError()
        unlink(path)
        throw .keyDirectory(path: directory, reason: "a file cannot be written (\(reason))")
      }
      written += count
    }
    guard fsync(descriptor) == 0 else {
      let reason = Self.systemError()
      unlink(path)
      throw .keyDirectory(path: directory, reason: "a file cannot be written (\(reason))")
    }
  }

  private func synchronize(_ folder: String) throws(IssuingError) {
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
    // A parent folder without read permission cannot be synced by this user.
    if descriptor < 0, folder != directory, errno == EACCES { return }
    guard descriptor >= 0 else { throw .keyDirectory(path: directory, reason: Self.systemError()) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .keyDirectory(path: directory, reason: Self.systemError()) }
  }

  private static func systemError() -> String { String(cString: strerror(errno)) }
}
