import StoreKit

/// A receipt refresh as an `async` function.
@MainActor
public final class ReceiptLoader: NSObject, @preconcurrency SKRequestDelegate {
  private var continuation: CheckedContinuation<Void, any Error>?
  private var request: SKReceiptRefreshRequest?

  public override nonisolated init() { super.init() }

  /// Requests a current receipt from the store, and returns it.
  public func refreshedReceipt() async throws -> Data? {
    try await withCheckedThrowingContinuation { continuation in
      self.continuation = continuation
      let request = SKReceiptRefreshRequest(receiptProperties: [SKReceiptPropertyIsExpired: false])
      request.delegate = self
      self.request = request
      request.start()
    }
    return try Bundle.main.appStoreReceiptURL.map { try Data(contentsOf: $0) }
  }

  public func requestDidFinish(_ request: SKRequest) { end(.success(())) }

  public func request(_ request: SKRequest, didFailWithError error: any Error) { end(.failure(error)) }

  private func end(_ result: Result<Void, any Error>) {
    continuation?.resume(with: result)
    (continuation, request) = (nil, nil)
  }
}
