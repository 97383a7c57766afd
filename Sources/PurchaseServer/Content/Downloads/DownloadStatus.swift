/// Whether what a link names may still be downloaded.
public enum DownloadStatus: Hashable, Sendable {
  /// The delivery lives, and this is the file.
  case allowed(DownloadableFile)
  /// The delivery has ended: refunded, revoked, moved to another customer.
  ///
  /// - Parameter reason: In words, for the customer.
  case ended(reason: String)
  /// There is no such delivery, or the file was never part of it.
  case unknown
}

/// Looks a link up where deliveries are kept. It is asked at each request and again and again while a download runs.
public typealias DownloadLookup = @Sendable (_ link: DownloadLink) async throws -> DownloadStatus
