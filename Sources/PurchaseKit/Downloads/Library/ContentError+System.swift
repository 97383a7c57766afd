import Foundation

extension ContentError {
  /// Converts any error of a download.
  init(_ error: any Error) {
    self =
      switch error {
      case let error as ContentError: error
      case let error as PurchaseServerError: .server(error)
      default: .disk(reason: "\(error)")
      }
  }

  /// Converts the system's error of a file operation: the disk is full, or another disk error.
  ///
  /// - Parameters:
  ///   - code: `errno`.
  ///   - url: the file.
  ///   - neededBytes: the number of bytes to write, as far as it is known.
  init(code: Int32, at url: URL, _ disk: ContentDisk, neededBytes: Int64 = ContentDisk.spareBytes) {
    guard code == ENOSPC || code == EDQUOT else {
      self = .disk(reason: String(cString: strerror(code)))
      return
    }
    self = .diskFull(neededBytes: neededBytes, freeBytes: disk.freeBytes(url.deletingLastPathComponent()) ?? 0)
  }
}
