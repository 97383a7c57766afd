/// Whether the file of a link may be downloaded now.
public enum DownloadStatus: Hashable, Sendable {
  /// The delivery has not ended, and this is the file.
  case allowed(DownloadableFile)
  /// The delivery has ended: the purchase was refunded, revoked, moved to another customer, or its access has expired.
  ///
  /// - Parameter reason: A text for the customer.
  case ended(reason: String)
  /// The delivery does not exist, or the file is not part of it.
  case unknown
}

/// Looks up a link's delivery in the ledger. It is called for each request, and repeatedly during a download.
public typealias DownloadLookup = @Sendable (_ link: DownloadLink) async throws -> DownloadStatus
