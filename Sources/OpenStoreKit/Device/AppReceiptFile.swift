import Foundation

/// The app receipt as a file. Replaced as a whole, so that a reader sees the old one or the new one.
struct AppReceiptFile: Sendable {
  let url: URL

  func write(_ receipt: Data) throws {
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try receipt.write(to: url, options: .atomic)
  }
}
