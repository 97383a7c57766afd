import StoreKit

/// Requests a new app receipt from the store, and waits for it.
public final class ReceiptRefresh: NSObject, SKRequestDelegate, Sendable {
  private let wait: RequestWait<Void>

  init(_ request: SKReceiptRefreshRequest) {
    wait = RequestWait(request)
    super.init()
    request.delegate = self
  }

  /// Returns the new receipt of this app.
  ///
  /// - Throws: the request's error; the error of a file that cannot be read; `CancellationError`.
  public static func receipt() async throws -> Data {
    try await ReceiptRefresh(SKReceiptRefreshRequest()).refresh()
    guard let url = Bundle.main.appStoreReceiptURL else { throw CocoaError(.fileNoSuchFile) }
    return try Data(contentsOf: url)
  }

  func refresh() async throws {
    // The request does not retain its delegate.
    defer { withExtendedLifetime(self) {} }
    try await wait.value()
  }

  public func requestDidFinish(_ request: SKRequest) { wait.succeeded(()) }

  public func request(_ request: SKRequest, didFailWithError error: any Error) { wait.failed(error) }
}
