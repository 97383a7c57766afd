import Foundation
import GRDB

extension ContentRecords {
  func part(of product: String, _ digest: FileDigest) throws -> Part? {
    try database.read { database in
      let tag = try String.fetchOne(
        database, sql: "SELECT entity_tag FROM part WHERE product = ? AND digest = ?",
        arguments: [product, digest.description])
      return tag.map { Part(productIdentifier: product, digest: digest, entityTag: $0) }
    }
  }

  func keep(_ part: Part) throws {
    try write { database in
      try database.execute(
        sql: "INSERT OR REPLACE INTO part (product, digest, entity_tag) VALUES (?, ?, ?)",
        arguments: [part.productIdentifier, part.digest.description, part.entityTag])
    }
  }

  func removePart(of product: String, _ digest: FileDigest) throws {
    try write { database in
      try database.execute(
        sql: "DELETE FROM part WHERE product = ? AND digest = ?", arguments: [product, digest.description])
    }
  }

  // MARK: Files without a record

  /// Whether the files on disk must be recorded as found files. This is due once after the records were created or
  /// migrated. The files may belong to older records that were damaged.
  var areFoundFilesDue: Bool {
    get throws {
      try database.read { try Bool.fetchOne($0, sql: "SELECT EXISTS (SELECT 1 FROM found_files_due)") ?? false }
    }
  }

  /// Records the files that existed before these records. They are kept until it is known which products they belong to.
  func keepFound(_ names: [String]) throws {
    try write { database in
      for name in names {
        try database.execute(sql: "INSERT OR IGNORE INTO found_file (digest) VALUES (?)", arguments: [name])
      }
      try database.execute(sql: "DELETE FROM found_files_due")
    }
  }

  func foundFiles() throws -> Set<String> {
    try database.read { Set(try String.fetchAll($0, sql: "SELECT digest FROM found_file")) }
  }

  /// Forgets found files whose products are known now.
  ///
  /// - Parameter names: the files; nil for all.
  func forgetFound(_ names: Set<String>? = nil) throws {
    // Found files are rare, and a commit is slow.
    guard try !foundFiles().isEmpty else { return }
    try write { database in
      guard let names else { return try database.execute(sql: "DELETE FROM found_file") }
      for name in names { try database.execute(sql: "DELETE FROM found_file WHERE digest = ?", arguments: [name]) }
    }
  }
}
