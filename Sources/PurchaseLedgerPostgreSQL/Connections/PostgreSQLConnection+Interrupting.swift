import CPQ
import PurchaseLedger

extension PostgreSQLConnection {
  /// Lets `cancellation` end the statement that the server runs for this connection, until
  /// ``TransactionCancellation/endInterrupting()``.
  ///
  /// The request is sent over a connection of its own. It has no effect if the server runs no statement.
  func allowInterrupting(by cancellation: TransactionCancellation) {
    guard let request = PQgetCancel(handle).map(CancelRequest.init) else { return }
    cancellation.beginInterrupting { request.send() }
  }
}

/// The address and the key of a connection whose statement can be cancelled. libpq allows its use on any thread.
private final class CancelRequest: @unchecked Sendable {
  private let handle: OpaquePointer

  init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { PQfreeCancel(handle) }

  func send() {
    var message = [CChar](repeating: 0, count: 256)
    // If the request fails, the statement continues until the server's `statement_timeout`.
    _ = PQcancel(handle, &message, Int32(message.count))
  }
}
