import Crypto
import Foundation
import GRDB

/// The data folders of the previous version, and their expected contents. `VersionBefore/README.md` says how they were made.
package struct VersionBefore {
  /// A copy of one folder. A test may change it, and removes it at the end.
  package let folder: URL
  private let scratch: ScratchFolder

  /// - Parameter name: of the folder, such as `store` or `phone`.
  package init(_ name: String) throws {
    scratch = try ScratchFolder()
    folder = scratch.url.appending(path: name)
    try FileManager.default.copyItem(at: Self.resources.appending(path: name), to: folder)
    // Git does not keep file modes.
    for case let file as URL in FileManager.default.enumerator(
      at: folder, includingPropertiesForKeys: [.isDirectoryKey])!
    {
      let isFolder = try file.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true
      try FileManager.default.setAttributes([.posixPermissions: isFolder ? 0o700 : 0o600], ofItemAtPath: file.path)
    }
  }

  /// Removes the copy.
  package func remove() { scratch.remove() }

  /// A file beside the folders, such as `phone.backup`.
  package static func file(_ name: String) -> URL { resources.appending(path: name) }

  /// Returns the expected contents of the folder of this name, from its JSON file.
  package static func expectation<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
    try JSONDecoder().decode(type, from: Data(contentsOf: file("\(name).json")))
  }

  private static let resources = Bundle.module.bundleURL.appending(path: "VersionBefore")

  /// Returns the values of `expected` that `actual` lacks, each with its path. Both are JSON. `actual` may have more members.
  package static func missing(_ expected: Any, in actual: Any?, at place: String = "$") -> [String] {
    switch (expected, actual) {
    case (let expected as [String: Any], let actual as [String: Any]):
      return expected.sorted { $0.key < $1.key }.flatMap { missing($1, in: actual[$0], at: "\(place).\($0)") }
    case (let expected as [Any], let actual as [Any]):
      guard expected.count == actual.count else {
        return ["\(place): \(actual.count) in place of \(expected.count)"]
      }
      return zip(expected, actual).enumerated().flatMap { missing($1.0, in: $1.1, at: "\(place)[\($0)]") }
    case (let expected as NSObject, let actual as NSObject) where expected == actual: return []
    default: return ["\(place): \(actual.map { "\($0)" } ?? "nothing") in place of \(expected)"]
    }
  }

  /// Returns the expected contents of the folder of this name, to be read member by member.
  package static func metadata(_ name: String) throws -> Facts {
    Facts(value: try JSONSerialization.jsonObject(with: Data(contentsOf: file("\(name).json"))), place: name)
  }

  /// A JSON value. Reading a member that is missing or has another type throws an error with its path.
  package struct Facts {
    package let value: Any
    let place: String

    package struct Missing: Error { package let place: String }

    package subscript(_ member: String) -> Facts {
      get throws {
        let place = "\(place).\(member)"
        guard let found = (value as? [String: Any])?[member] else { throw Missing(place: place) }
        return Facts(value: found, place: place)
      }
    }

    package func read<Value>(as type: Value.Type = Value.self) throws -> Value {
      guard let found = value as? Value else { throw Missing(place: "\(place): \(type)") }
      return found
    }

    package func text(_ member: String) throws -> String { try self[member].read() }
    package func number(_ member: String) throws -> Int { try self[member].read() }

    /// The bytes of a member in base64.
    package func data(_ member: String) throws -> Data {
      guard let data = Data(base64Encoded: try text(member)) else { throw Missing(place: "\(place).\(member)") }
      return data
    }

    /// The elements of a list, or the members of an object by their names.
    package var elements: [Facts] {
      get throws { try read(as: [Any].self).enumerated().map { Facts(value: $1, place: "\(place)[\($0)]") } }
    }

    package var members: [String: Facts] {
      get throws {
        let object = try read(as: [String: Any].self)
        return Dictionary(uniqueKeysWithValues: object.map { ($0, Facts(value: $1, place: "\(place).\($0)")) })
      }
    }
  }

  // MARK: Rows

  /// The rows of a table. Cells are text; a BLOB is its SHA-256.
  package struct Table: Decodable, Sendable {
    package let columns: [String]
    package let rows: [[String?]]
  }

  /// Returns the tables of a database as the previous version wrote them, without the tables of migrations.
  ///
  /// - Parameter database: its path relative to the README, such as `store/store.sqlite`.
  package static func tables(of database: String) throws -> [String: Table] {
    let all = try expectation("rows", as: [String: [String: Table]].self)
    return (all[database] ?? [:]).filter { !["grdb_migrations", "ledger_migration"].contains($0.key) }
  }

  /// Returns the rows of the previous version that the database has lost.
  ///
  /// - Parameters:
  ///   - database: its path relative to the README.
  ///   - changing: the columns, by table, that opening the database changes by design. They are not compared.
  ///   - rows: returns the rows that a table has now, with the given columns, in the text form of ``Table``.
  package static func lostRows(
    of database: String, changing: [String: Set<String>] = [:],
    rows: (_ table: String, _ columns: [String]) throws -> [[String?]]
  ) throws -> [String] {
    let tables = try tables(of: database)
    var lost = tables.isEmpty ? ["\(database) is not among the expected databases"] : []
    for (name, table) in tables.sorted(by: { $0.key < $1.key }) {
      let kept = table.columns.indices.filter { changing[name]?.contains(table.columns[$0]) != true }
      let found = Set(try rows(name, kept.map { table.columns[$0] }))
      for row in table.rows.map({ row in kept.map { row[$0] } }) where !found.contains(row) {
        lost.append("\(name): \(row.map { $0 ?? "NULL" }.joined(separator: " | ").prefix(600))")
      }
    }
    return lost
  }

  /// Returns the rows of the previous version that a SQLite database has lost. No other connection may have it open.
  package static func lostRows(
    of database: String, in file: URL, changing: [String: Set<String>] = [:]
  ) throws -> [String] {
    let queue = try DatabaseQueue(path: file.path)
    defer { try? queue.close() }
    return try queue.read { connection in
      try lostRows(of: database, changing: changing) { table, columns in
        let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
        return try Row.fetchAll(connection, sql: "SELECT \(names) FROM \"\(table)\"").map { row in
          row.databaseValues.map(text)
        }
      }
    }
  }

  private static func text(_ value: DatabaseValue) -> String? {
    switch value.storage {
    case .null: nil
    case .int64(let number): "\(number)"
    case .double(let number): "\(number)"
    case .string(let text): text
    case .blob(let data):
      "sha256 " + SHA256.hash(data: data).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
  }
}
