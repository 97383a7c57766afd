/// One run that fetches a product's files, from when it is asked for to its end.
final class DownloadRun: @unchecked Sendable {
  let waiters = Waiters()
  /// Set, and changed, under the lock of ``ContentDownloads``.
  var task: Task<Void, Never>?
  var progress = DownloadProgress(receivedBytes: 0, totalBytes: 0)
}
