import DurableSQLite
import Foundation

/// The file with the key for download links. With a SQLite ledger, the server creates it if no key is configured.
enum LinkKeyFile {
  /// Returns the key in the file beside a ledger. The first call creates the file.
  static func key(beside ledger: URL) throws -> DownloadLinkKey {
    let file = location(beside: ledger)
    if !FileManager.default.fileExists(atPath: file.path) {
      var generator = SystemRandomNumberGenerator()
      let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      // The file has mode 0600, and is durable before the first link is sent.
      try DurableFile.replace(file, with: Data(Data(bytes).base64EncodedString().utf8))
    }
    return try DownloadLinkKey(base64: String(contentsOf: file, encoding: .utf8))
  }

  static func location(beside ledger: URL) -> URL {
    ledger.deletingLastPathComponent().appending(path: "\(ledger.lastPathComponent).link-key")
  }
}
