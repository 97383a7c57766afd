/// A file that a ``ContentStore`` has taken in.
public struct StoredContent: Hashable, Sendable {
  public let digest: ContentDigest
  /// In bytes.
  public let size: Int64

  public init(digest: ContentDigest, size: Int64) {
    self.digest = digest
    self.size = size
  }
}
