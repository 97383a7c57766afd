import Foundation
import GRDB

extension ContentRecords {
  /// Returns the products that can still be read from records that were moved aside. Reads a copy, so that the original is
  /// not changed. Wrong records do no harm: each file's digest is verified when it is opened.
  static func salvage(_ aside: URL) -> [String: Product] {
    var found: [String: Product] = [:]
    let folder = FileManager.default.temporaryDirectory.appending(path: "content-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    // Errors are ignored: products that cannot be read are requested again.
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
