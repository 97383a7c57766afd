import Foundation
import StoreModel

/// Thrown when a product's files cannot be downloaded or opened.
public enum ContentError: DescribedError, Hashable, Codable, Sendable {
  /// The product has no files on this device, and none are requested.
  case notDelivered(productIdentifier: String)
  /// The connection failed, or the server does not respond. The downloaded bytes are kept.
  case network(reason: String)
  case server(PurchaseServerError)
  /// The disk has too little free space. The downloaded bytes are kept, and the download can continue later.
  case diskFull(neededBytes: Int64, freeBytes: Int64)
  case disk(reason: String)
  /// The downloaded file had the wrong size or digest, twice.
  case wrongDigest(file: String)
  case unexpectedAnswer(file: String, reason: String)
  /// The server does not deliver the product any more.
  case deliveryEnded(productIdentifier: String, reason: String)
  /// The download was ended by ``ContentDownloads/pause(_:)``, ``ContentDownloads/stop(_:)`` or
  /// ``ContentDownloads/stopAll()``. The downloaded bytes are kept. The customer sees no alert.
  case stopped(productIdentifier: String)
  case noSuchFile(String)
  /// A file on this device is missing, or its content has changed. It must be downloaded again.
  case damaged(file: String)
  case malformedDelivery(String)
  /// The records of a product's files cannot be read. The files are found or downloaded again; nothing is charged.
  case recordsDamaged(productIdentifier: String)

  public var description: String {
    switch self {
    case .notDelivered(let product): "There are no files of \(product) here. Download it, or restore your purchases."
    case .network(let reason): "The download was interrupted. It goes on when there is a network. (\(reason))"
    case .server(let error): error.description
    case .diskFull(let needed, let free):
      "There is not enough room: \(needed) bytes are needed, \(free) are free. Make room and try again."
    case .disk(let reason): "The files cannot be kept: \(reason)"
    case .wrongDigest(let file): "\(file) arrived damaged, twice. Try again later."
    case .unexpectedAnswer(let file, let reason): "\(file) cannot be downloaded: \(reason). Try again later."
    case .deliveryEnded(_, let reason): "This can no longer be downloaded: \(reason)"
    case .stopped: "The download was stopped. It goes on from there when you like."
    case .noSuchFile(let name): "There is no file named \(name) in it."
    case .damaged(let file): "\(file) was damaged on this device. Download it again."
    case .malformedDelivery(let reason): "The server's delivery makes no sense: \(reason)."
    case .recordsDamaged: "What this device knew of the files was damaged. Download them again; nothing is charged."
    }
  }
}

extension ContentError: CustomerFacingError {
  public func customerMessage(_ names: CustomerNames) -> String {
    switch self {
    case .notDelivered(let product):
      "Download \(names.product(product)) first, or restore your purchases."
    case .network: "The download was interrupted. It continues when there is a network."
    case .server(let error): error.customerMessage(names)
    case .diskFull(let needed, let free):
      "There is not enough free space: \(Self.size(needed)) are needed, \(Self.size(free)) are free. Make room, and try "
        + "again."
    case .disk: "The files could not be saved on this device. Try again."
    case .wrongDigest, .unexpectedAnswer, .malformedDelivery: "The download failed. Try again later."
    case .deliveryEnded(let product, _): "The server no longer offers \(names.product(product)) for download."
    case .stopped: "The download was stopped. It continues from there when you start it again."
    case .noSuchFile: "This part is missing. Download the product again."
    case .damaged: "A file was damaged on this device. Download it again. Nothing is charged."
    case .recordsDamaged(let product):
      "The files of \(names.product(product)) must be downloaded again. Nothing is charged."
    }
  }

  /// A size in MB (decimal), rounded up; in kB if it is less than 1 MB.
  private static func size(_ bytes: Int64) -> String {
    bytes < 1_000_000 ? "\((bytes + 999) / 1_000) kB" : "\((bytes + 999_999) / 1_000_000) MB"
  }
}

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
