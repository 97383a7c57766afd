/// What a sweep of a ``ContentStore`` removed.
public struct SweptContent: Hashable, Sendable {
  /// Files that nobody referred to.
  public var files = 0
  /// The size of those files.
  public var bytes: Int64 = 0
  /// Uploads that nobody was working on any more.
  public var uploads = 0
  /// Files that were left because nobody referred to anything at all.
  public var spared = 0

  public init(files: Int = 0, bytes: Int64 = 0, uploads: Int = 0, spared: Int = 0) {
    self.files = files
    self.bytes = bytes
    self.uploads = uploads
    self.spared = spared
  }
}
