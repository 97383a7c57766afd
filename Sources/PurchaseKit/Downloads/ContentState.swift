/// How a product's files are doing on this device: Documentation/downloads.md, "A product".
public enum ContentState: Hashable, Sendable {
  /// Nothing is wanted and nothing is here.
  case none
  /// Something is due, and nobody fetches it now. With what went wrong, if something did.
  case waiting(ContentError?)
  case downloading(DownloadProgress)
  /// Its files can be opened.
  case current(version: Int64)
  /// The server does not deliver it any more.
  case ended(reason: String)
}
