import StoreModel

/// The progress of a download, shared by the task that sends it and the task that watches it.
final class DownloadProgress: Sendable {
  private struct State: Sendable {
    var sentBytes: Int64 = 0
    var cut: DownloadCut?
  }

  private let state = LockedValue(State())

  /// The number of bytes that the connection has accepted.
  var sentBytes: Int64 { state.withLock { $0.sentBytes } }

  func add(_ bytes: Int64) { state.withLock { $0.sentBytes += bytes } }

  /// The first reason for which the download was cut.
  var cut: DownloadCut? { state.withLock { $0.cut } }

  func cut(_ cut: DownloadCut) { state.withLock { $0.cut = $0.cut ?? cut } }
}
