import DurableSQLite
import Foundation

/// The key that signs download links of a single server, which nobody has to be told.
enum LinkKeyFile {
  /// The key beside a ledger; made the first time.
  static func key(beside ledger: URL) throws -> DownloadLinkKey {
    let file = location(beside: ledger)
    if !FileManager.default.fileExists(atPath: file.path) {
      var generator = SystemRandomNumberGenerator()
      let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      // Of mode 0600, durable before a link is given out.
      try DurableFile.replace(file, with: Data(Data(bytes).base64EncodedString().utf8))
    }
    return try DownloadLinkKey(base64: String(contentsOf: file, encoding: .utf8))
  }

  static func location(beside ledger: URL) -> URL {
    ledger.deletingLastPathComponent().appending(path: "\(ledger.lastPathComponent).link-key")
  }
}
