import StoreModel

/// Thrown when content cannot be stored or read.
public enum ContentStoreError: DescribedError, Hashable, Sendable {
  case tooLarge(limitBytes: Int64)
  /// The size in bytes differs from the expected one. The upload is ended as soon as it is larger.
  case sizeDiffers(expected: Int64, received: Int64)
  case digestDiffers(expected: ContentDigest, received: ContentDigest)
  /// The disk is full, or the user's quota is used up.
  case full(path: String)
  case missing(ContentDigest)
  /// A file is incomplete or cannot be read.
  case damaged(ContentDigest, reason: String)
  case failed(path: String, reason: String)
  /// The folder belongs to another ledger. A sweep by this server would remove the content of the other ledger.
  case otherLedger(stamp: String, stamped: String, given: String)
  /// The thread pool for file access has ended, because the server is stopping.
  case stopped

  public var description: String {
    switch self {
    case .tooLarge(let limit):
      "The file is larger than \(limit) bytes. Send a smaller one, or raise the limit."
    case .sizeDiffers(let expected, let received):
      "The file was announced with \(expected) bytes, and \(received) came. Send it again."
    case .digestDiffers(let expected, let received):
      "The file was announced with the SHA-256 \(expected), and has \(received). Send it again."
    case .full(let path):
      "There is no space left in \(path). Make room, and send the file again."
    case .missing(let digest):
      "There is no content with the SHA-256 \(digest). Publish it again."
    case .damaged(let digest, let reason):
      "The content with the SHA-256 \(digest) is damaged (\(reason)). Publish it again."
    case .failed(let path, let reason):
      "\(path) cannot be used: \(reason)"
    case .otherLedger(let stamp, let stamped, let given):
      "The content folder belongs to the ledger \(stamped), as \(stamp) says, and this server's ledger is \(given). Give the "
        + "server a folder of its own, or the ledger whose content this is. If this ledger has taken that one's place for "
        + "good, remove \(stamp)."
    case .stopped:
      "The server is stopping."
    }
  }
}
