import DurableSQLite
import Foundation
import GRDB

/// The durable records of products' files, and of the proofs of their purchases.
final class ContentRecords: Sendable {
  /// The record of a product.
  struct Product: Sendable {
    var wanted: ContentVersion?
    var current: ContentVersion?
    /// Why the files must be downloaded again: the last download failed, a stored file is missing or damaged, or this
    /// record cannot be read. Nil if there is no such error.
    var error: ContentError?
    /// Why the product is no longer delivered; nil if it is still delivered.
    var endReason: String?
    /// Whether the customer has paused the download of `wanted`.
    var isPaused = false
  }

  /// A partly downloaded file.
  struct Part: Hashable, Sendable {
    let productIdentifier: String
    let digest: FileDigest
    /// The entity tag of the response that contained the part's first bytes.
    let entityTag: String
  }

  let database: DurableDatabase
  private let folder: URL
  private let disk: ContentDisk

  /// Opens or creates the records. If the file cannot be read, it is moved aside, and its readable products are copied
  /// to a new file. The other products can be requested from the server again.
  init(at url: URL, disk: ContentDisk) throws {
    folder = url.deletingLastPathComponent()
    self.disk = disk
    let opened = try DurableSQLite.openSettingAside(at: url, migrator: Self.migrator, reading: { _ in })
    database = opened.database
    guard let aside = opened.aside else { return }
    do {
      for (id, product) in Self.salvage(aside.url) { try update(id) { $0 = product } }
    } catch {
      try? database.close()
      throw error
    }
  }

  func close() throws { try database.close() }

  /// Applies `updates` in one commit, or changes nothing.
  ///
  /// - Throws: ``ContentError/diskFull(neededBytes:freeBytes:)`` if the disk is full; errors of the database.
  func write<Value>(_ updates: (Database) throws -> Value) throws -> Value {
    do {
      return try database.write(updates)
    } catch let error as DatabaseError where isDiskFull(error) {
      throw ContentError.diskFull(neededBytes: ContentDisk.spareBytes, freeBytes: disk.freeBytes(folder) ?? 0)
    }
  }

  /// Whether an error means that the disk is full. SQLite reports a full disk as `SQLITE_FULL` when it writes, but as
  /// an I/O error when it syncs or extends a file.
  private func isDiskFull(_ error: DatabaseError) -> Bool {
    if error.resultCode == .SQLITE_FULL { return true }
    return error.resultCode == .SQLITE_IOERR && disk.freeBytes(folder).map { $0 < 1 << 16 } == true
  }

  // MARK: Values

  static func value<Value: Decodable>(_ text: String?) throws -> Value? {
    try text.map { try JSONDecoder().decode(Value.self, from: Data($0.utf8)) }
  }

  static func text(_ value: (some Encodable)?) throws -> String? {
    let encoder = JSONEncoder()
    // Sorted, so that equal values have equal texts: proofs are identified by their text.
    encoder.outputFormatting = .sortedKeys
    return try value.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
  }
}
