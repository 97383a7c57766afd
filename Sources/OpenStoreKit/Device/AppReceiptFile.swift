import Foundation

/// The app receipt as a file. Replaced as a whole, so that a reader sees the old one or the new one.
///
/// It is a copy of what the journal holds, and is not synced: should a power cut take it, the next launch writes it again.
struct AppReceiptFile: Sendable {
  let url: URL

  func write(_ receipt: Data) throws {
    let folder = url.deletingLastPathComponent()
    let new = folder.appending(path: ".\(url.lastPathComponent).new")
    do {
      try receipt.write(to: new)
    } catch CocoaError.fileNoSuchFile, CocoaError.fileWriteUnknown {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try receipt.write(to: new)
    }
    guard rename(new.path, url.path) == 0 else {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: url.path])
    }
  }
}
