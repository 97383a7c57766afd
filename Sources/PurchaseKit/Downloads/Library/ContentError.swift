import Foundation

/// Why the files of a product are not here, or cannot be opened.
public enum ContentError: LocalizedError, Hashable, Codable, Sendable, CustomStringConvertible {
  /// Nothing of the product is here, or wanted.
  case notDelivered(productIdentifier: String)
  /// The line was cut, or the server does not answer. What has come is kept.
  case network(reason: String)
  case server(PurchaseServerError)
  /// What has come is kept; it goes on when there is room.
  case diskFull(neededBytes: Int64, freeBytes: Int64)
  case disk(reason: String)
  /// What came was not what the server says the file is, twice.
  case wrongDigest(file: String)
  case unexpectedAnswer(file: String, reason: String)
  /// The server does not deliver it any more.
  case deliveryEnded(productIdentifier: String, reason: String)
  /// Somebody stopped the download. What has come is kept.
  case stopped(productIdentifier: String)
  case noSuchFile(String)
  /// A file was changed on this device. It was removed, and can be downloaded again.
  case damaged(file: String)
  case malformedDelivery(String)
  /// What was known of a product's files cannot be read. They are found again, or fetched again, and nothing is paid.
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

  public var errorDescription: String? { description }
}
