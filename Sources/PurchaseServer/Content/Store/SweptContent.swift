/// The result of a sweep of a ``ContentStore``.
public struct SweptContent: Hashable, Sendable {
  /// The number of removed files, which had no reference.
  public var files = 0
  /// The total size of those files.
  public var bytes: Int64 = 0
  /// The number of removed temporary files of interrupted uploads.
  public var uploads = 0
  /// The number of files that were not removed because there was no reference to any file at all.
  public var spared = 0

  public init(files: Int = 0, bytes: Int64 = 0, uploads: Int = 0, spared: Int = 0) {
    self.files = files
    self.bytes = bytes
    self.uploads = uploads
    self.spared = spared
  }
}
