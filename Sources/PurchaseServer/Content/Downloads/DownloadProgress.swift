import Foundation

/// How far a download is, and why it was cut: what those know of each other who send it and who watch it.
final class DownloadProgress: @unchecked Sendable {
  private let lock = NSLock()
  private var sent: Int64 = 0
  private var reason: DownloadCut?

  /// How many bytes the connection has taken.
  var sentBytes: Int64 { lock.withLock { sent } }

  func add(_ bytes: Int64) { lock.withLock { sent += bytes } }

  /// The first reason for which it was cut.
  var cut: DownloadCut? { lock.withLock { reason } }

  func cut(_ cut: DownloadCut) { lock.withLock { reason = reason ?? cut } }
}
