/// What an upload has to be, as far as its sender said.
public struct ContentExpectation: Hashable, Sendable {
  /// Whatever comes.
  public static let anything = ContentExpectation()

  public var digest: ContentDigest?
  /// In bytes.
  public var size: Int64?

  public init(digest: ContentDigest? = nil, size: Int64? = nil) {
    self.digest = digest
    self.size = size
  }

  /// - Throws: ``ContentStoreError/sizeDiffers(expected:received:)`` or ``ContentStoreError/digestDiffers(expected:received:)``.
  func check(_ content: StoredContent) throws(ContentStoreError) {
    if let size, size != content.size { throw .sizeDiffers(expected: size, received: content.size) }
    if let digest, digest != content.digest { throw .digestDiffers(expected: digest, received: content.digest) }
  }
}
