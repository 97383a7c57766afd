import DurableSQLite
import Foundation
import GRDB

/// What is known of products' files and of the proofs behind them, durably.
final class ContentRecords: Sendable {
  /// What is known of a product.
  struct Product: Sendable {
    var wanted: ContentVersion?
    var current: ContentVersion?
    /// What went wrong when it was last fetched.
    var trouble: ContentError?
    /// Why it is no longer delivered.
    var endReason: String?
  }

  /// A part of a file.
  struct Part: Hashable, Sendable {
    let productIdentifier: String
    let digest: FileDigest
    /// Of the answer the part began with.
    let entityTag: String
  }

  let database: DurableDatabase
  private let folder: URL
  private let disk: ContentDisk

  /// One that cannot be read is moved aside, and what can still be read of its products is taken over; the rest the server
  /// knows too.
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

  /// One commit, or no change.
  ///
  /// - Throws: ``ContentError/diskFull(neededBytes:freeBytes:)`` where there is no room for it.
  func write<Value>(_ updates: (Database) throws -> Value) throws -> Value {
    do {
      return try database.write(updates)
    } catch let error as DatabaseError where isDiskFull(error) {
      throw ContentError.diskFull(neededBytes: ContentDisk.spareBytes, freeBytes: disk.freeBytes(folder) ?? 0)
    }
  }

  /// SQLite says so of what it writes, and calls it an I/O error where a sync, or making the file longer, finds no room.
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
    // The same value is the same text, by which proofs are told apart.
    encoder.outputFormatting = .sortedKeys
    return try value.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
  }
}
