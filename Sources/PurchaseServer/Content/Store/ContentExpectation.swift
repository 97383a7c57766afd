/// The size and digest that the sender of an upload has announced.
public struct ContentExpectation: Hashable, Sendable {
  /// No expectation: all content is accepted.
  public static let anything = ContentExpectation()

  public var digest: ContentDigest?
  /// The size in bytes.
  public var size: Int64?

  public init(digest: ContentDigest? = nil, size: Int64? = nil) {
    self.digest = digest
    self.size = size
  }

  /// Compares received content with the expectation.
  ///
  /// - Throws: ``ContentStoreError/sizeDiffers(expected:received:)`` or ``ContentStoreError/digestDiffers(expected:received:)``.
  func check(_ content: StoredContent) throws(ContentStoreError) {
    if let size, size != content.size { throw .sizeDiffers(expected: size, received: content.size) }
    if let digest, digest != content.digest { throw .digestDiffers(expected: digest, received: content.digest) }
  }
}
