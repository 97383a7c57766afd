import DurableSQLite
import Foundation
import ProgramSupport
import SampleApp

/// A phone's folder, which one process at a time can own.
final class PhoneFolder: Sendable {
  let root: URL
  /// The folder of backups. They outlive the app. Several phones may share the folder.
  let documents: URL
  private let lock: FileLock

  /// - Parameter documents: the folder of backups; nil for one in the phone's folder.
  /// - Throws: ``CommandFailure`` if another process owns the folder, or if its path is too long for a socket.
  init(_ root: URL, documents: URL?) throws {
    let root = root.absoluteURL.standardizedFileURL
    self.root = root
    self.documents = documents?.absoluteURL.standardizedFileURL ?? root.appending(path: "documents")
    guard root.appending(path: Self.socketName).path.utf8.count <= AppServer.longestPathBytes else {
      throw CommandFailure.refused(
        "\(root.path) is too long for the socket in it. Choose a folder with a shorter path with --data.")
    }
    do {
      try DurableFolder.make(root)
      try DurableFolder.make(self.documents)
      lock = try FileLock(for: root.appending(path: "phone"))
    } catch let error as DurableSQLiteError {
      throw CommandFailure.refused("\(error)")
    } catch {
      throw CommandFailure.refused("\(root.path) cannot be used: \(error.localizedDescription)")
    }
  }

  private static let socketName = "app.socket"

  /// The app's data. Removed together with the app.
  var app: URL { root.appending(path: "app") }
  /// The phone's keychain. It stays when the app is removed.
  var keychain: URL { root.appending(path: "keychain") }
  var settings: URL { root.appending(path: "settings.json") }
  /// The Unix socket on which the app serves its pages.
  var socket: URL { root.appending(path: Self.socketName) }

  /// Removes the app's data durably.
  ///
  /// - Throws: ``PhoneRefusal/notRemoved(_:)`` or `DurableSQLiteError`.
  func removeApp() throws {
    do {
      try FileManager.default.removeIfThere(app)
    } catch {
      throw PhoneRefusal.notRemoved(error.localizedDescription)
    }
    try DurableFolder.sync(root)
  }

  /// Returns the names of the backups, newest first. Omits entries that are not regular files, and files that are too
  /// large.
  ///
  /// - Throws: ``PhoneRefusal/documentsUnreadable(_:)``.
  func backups() throws(PhoneRefusal) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: documents.path)
        .filter { $0.hasSuffix(Self.backupEnding) && isBackup($0) }.sorted(by: >)
    } catch {
      throw .documentsUnreadable(error.localizedDescription)
    }
  }

  private func isBackup(_ name: String) -> Bool {
    var status = stat()
    let path = documents.appending(path: name).path
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size <= Self.largestBackupBytes
  }

  /// Returns a file name for a backup that is made at `date`. Names sort by date.
  func backupName(_ phone: String, at date: Date) -> String {
    let letters = phone.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
    let time = date.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true))
      .replacing(":", with: "")
    return "\(time)-\(String(letters.prefix(40)))\(Self.backupEnding)"
  }

  /// Returns the location of a backup.
  ///
  /// - Parameter name: a name that ``backups()`` returns.
  /// - Throws: ``PhoneRefusal``.
  func backup(_ name: String) throws(PhoneRefusal) -> URL {
    guard try backups().contains(name) else { throw .noSuchBackup(name) }
    return documents.appending(path: name)
  }

  private static let backupEnding = ".backup"
  /// The maximum size of a backup, which the app reads into memory. The backups that the app makes are much smaller.
  private static let largestBackupBytes = 64 << 20

  /// Releases the folder, so that another process can own it. Must not be called twice.
  func release() { lock.release() }
}
