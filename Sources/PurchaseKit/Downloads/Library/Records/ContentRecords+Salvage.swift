import Foundation
import GRDB

extension ContentRecords {
  /// What can still be read of records that were moved aside, from a copy, so that they stay as they are. Every file is found
  /// by its digest anyway, when it is opened.
  static func salvage(_ aside: URL) -> [String: Product] {
    var found: [String: Product] = [:]
    let folder = FileManager.default.temporaryDirectory.appending(path: "content-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    // Nothing of it has to succeed: what cannot be read is wanted anew.
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      let copy = folder.appending(path: "content.sqlite")
      for ending in ["", "-wal"] where FileManager.default.fileExists(atPath: aside.path + ending) {
        try FileManager.default.copyItem(atPath: aside.path + ending, toPath: copy.path + ending)
      }
      let queue = try DatabaseQueue(path: copy.path)
      try queue.read { database in
        let rows = try Row.fetchCursor(database, sql: "SELECT * FROM product")
        while let row = try rows.next() {
          guard let id = String.fromDatabaseValue(row["id"] as DatabaseValue) else { continue }
          found[id] = product(row).product
        }
      }
    } catch {
      return found
    }
    return found
  }
}
