import Foundation
import GRDB

/// A database on the disk of a process that is gone, read from a copy, so that what is on the disk stays as it was left.
///
/// With SQLite alone: the product's own code has no part in the judgement.
struct LeftDatabase {
  let file: URL

  /// What is wrong with it: what `body` finds, or that it cannot be read.
  func check(_ body: (Database) throws -> [String]) throws -> [String] {
    guard FileManager.default.fileExists(atPath: file.path) else { return ["\(file.lastPathComponent) is not there"] }
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

  /// What a query says. Nothing where there is no file yet, or no such table.
  func words(_ sql: String, of table: String, arguments: StatementArguments = []) throws -> [String] {
    guard FileManager.default.fileExists(atPath: file.path) else { return [] }
    return try check {
      try $0.tableExists(table) ? String.fetchAll($0, sql: sql, arguments: arguments) : []
    }
  }
}

/// What is wrong, in words.
struct Findings {
  var words: [String] = []

  mutating func expect(_ holds: Bool, _ otherwise: @autoclosure () -> String) {
    if !holds { words.append(otherwise()) }
  }
}
