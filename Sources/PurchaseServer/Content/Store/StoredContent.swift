/// A file in a ``ContentStore``.
public struct StoredContent: Hashable, Sendable {
  public let digest: ContentDigest
  /// The size in bytes.
  public let size: Int64

  public init(digest: ContentDigest, size: Int64) {
    self.digest = digest
    self.size = size
  }
}
