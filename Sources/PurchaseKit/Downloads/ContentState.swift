/// The state of a product's files on this device; see Documentation/downloads.md, "A product".
public enum ContentState: Hashable, Sendable {
  /// No files are downloaded, and none are requested.
  case none
  /// Files are requested, or a deferred product is not redeemed yet, and no download runs. The value is the error of the
  /// last download; nil if it had none.
  case waiting(ContentError?)
  case downloading(DownloadProgress)
  /// The files of this version can be opened.
  case current(version: Int64)
  /// The server does not deliver the product any more.
  case ended(reason: String)
}
