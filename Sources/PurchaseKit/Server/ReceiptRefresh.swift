import StoreKit
import StoreModel

/// Requests a new app receipt from the store, and waits for it.
final class ReceiptRefresh: NSObject, SKRequestDelegate, Sendable {
  // A request may be started and cancelled on any thread, but StoreKit does not declare it Sendable.
  private nonisolated(unsafe) let request = SKReceiptRefreshRequest()
  private let waiting = LockedValue<CheckedContinuation<Void, any Error>?>(nil)

  /// Returns the new receipt of this app.
  ///
  /// - Throws: the request's error; the error of a file that cannot be read; `CancellationError`.
  static func receipt() async throws -> Data {
    try await ReceiptRefresh().refresh()
    guard let url = Bundle.main.appStoreReceiptURL else { throw CocoaError(.fileNoSuchFile) }
    return try Data(contentsOf: url)
  }

  private func refresh() async throws {
    // The request does not retain its delegate.
    defer { withExtendedLifetime(self) {} }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        waiting.withLock { $0 = continuation }
        if Task.isCancelled { return cancel() }
        request.delegate = self
        request.start()
      }
    } onCancel: {
      cancel()
    }
  }

  private func cancel() {
    request.cancel()
    take()?.resume(throwing: CancellationError())
  }

  func requestDidFinish(_ request: SKRequest) { take()?.resume() }

  func request(_ request: SKRequest, didFailWithError error: any Error) { take()?.resume(throwing: error) }

  private func take() -> CheckedContinuation<Void, any Error>? {
    waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
  }
}
