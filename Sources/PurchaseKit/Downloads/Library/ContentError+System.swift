import Foundation

extension ContentError {
  /// Whatever a download failed with.
  init(_ error: any Error) {
    self =
      switch error {
      case let error as ContentError: error
      case let error as PurchaseServerError: .server(error)
      default: .disk(reason: "\(error)")
      }
  }

  /// What the system said about a file: no room, or another trouble with the disk.
  ///
  /// - Parameters:
  ///   - code: `errno`.
  ///   - url: the file.
  ///   - neededBytes: as far as it is known.
  init(code: Int32, at url: URL, _ disk: ContentDisk, neededBytes: Int64 = ContentDisk.spareBytes) {
    guard code == ENOSPC || code == EDQUOT else {
      self = .disk(reason: String(cString: strerror(code)))
      return
    }
    self = .diskFull(neededBytes: neededBytes, freeBytes: disk.freeBytes(url.deletingLastPathComponent()) ?? 0)
  }
}
