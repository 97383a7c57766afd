import Foundation
import GRDB

/// A database on the disk of a process that has ended. It is read from a copy, so the disk stays unchanged.
///
/// Only SQLite reads it, so an error in the product's own code cannot hide another.
struct CopiedDatabase {
  let file: URL

  /// Returns the errors that `body` finds, or the reason why the database cannot be read.
  func check(_ body: (Database) throws -> [String]) throws -> [String] {
    guard FileManager.default.fileExists(atPath: file.path) else { return ["\(file.lastPathComponent) is missing"] }
    let copy = "\(file.path)-copy-\(UUID().uuidString)"
    defer {
      for ending in ["", "-wal", "-journal", "-shm"] { try? FileManager.default.removeItem(atPath: copy + ending) }
    }
    for ending in ["", "-wal", "-journal"] where FileManager.default.fileExists(atPath: file.path + ending) {
      try FileManager.default.copyItem(atPath: file.path + ending, toPath: copy + ending)
    }
    do {
      let queue = try DatabaseQueue(path: copy)
      defer { try? queue.close() }
      return try queue.read { database in
        let verdict = try String.fetchOne(database, sql: "PRAGMA integrity_check") ?? ""
        return verdict == "ok" ? try body(database) : ["\(file.lastPathComponent) is damaged: \(verdict)"]
      }
    } catch let error as DatabaseError {
      return ["\(file.lastPathComponent) cannot be read: \(error)"]
    }
  }

  /// Returns the result of a query; no rows if the file or the table does not exist yet.
  func values(_ sql: String, of table: String, arguments: StatementArguments = []) throws -> [String] {
    guard FileManager.default.fileExists(atPath: file.path) else { return [] }
    return try check {
      try $0.tableExists(table) ? String.fetchAll($0, sql: sql, arguments: arguments) : []
    }
  }
}

/// Descriptions of the errors that a check found.
struct Findings {
  var messages: [String] = []

  mutating func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { messages.append(message()) }
  }
}
