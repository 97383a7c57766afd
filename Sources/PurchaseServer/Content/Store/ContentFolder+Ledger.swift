import DurableSQLite
import Foundation

extension ContentFolder {
  /// Where the folder says whose content it has.
  private var stamp: URL { url.appending(path: ".ledger") }

  /// Writes down, the first time, which ledger refers to what is here; from then on, sees that it is that one.
  ///
  /// Whoever sweeps here for another ledger would remove everything.
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
