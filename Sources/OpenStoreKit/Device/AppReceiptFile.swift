import Foundation

/// The file with the app receipt. It is replaced atomically, so that readers see either the complete old receipt or the
/// complete new one.
///
/// It is a copy of the receipt in the journal, and is not synced: if a power failure removes it, the next launch writes
/// it again.
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
