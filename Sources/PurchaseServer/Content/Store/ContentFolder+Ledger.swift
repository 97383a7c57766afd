import DurableSQLite
import Foundation

extension ContentFolder {
  /// The file with the id of the folder's ledger.
  private var stamp: URL { url.appending(path: ".ledger") }

  /// Checks that the folder belongs to a ledger. The first call stores the ledger's id in the folder.
  ///
  /// A server with another ledger would remove all files in a sweep, because its ledger does not refer to them.
  ///
  /// - Throws: ``ContentStoreError/otherLedger(stamp:stamped:given:)``.
  func belong(to ledger: UUID) throws {
    let given = ledger.uuidString.lowercased()
    try locked(.sweeping) {
      let stamped: Data?
      do {
        stamped = try DurableFile.read(stamp)
        if stamped == nil { try DurableFile.replace(stamp, with: Data("\(given)\n".utf8)) }
      } catch {
        throw ContentStoreError.failed(path: stamp.path, reason: "\(error)")
      }
      guard let stamped else { return }
      let text = String(decoding: stamped.prefix(200), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
      guard text == given else {
        throw ContentStoreError.otherLedger(stamp: stamp.path, stamped: text, given: given)
      }
    }
  }
}
