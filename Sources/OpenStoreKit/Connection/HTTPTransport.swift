import Foundation
import StoreModel

/// Sends a request over HTTP and waits for the answer.
protocol HTTPTransport: Sendable {
  /// - Throws: ``StoreConnectionFailure``: `unreachable` only where nothing of the request can have arrived.
  func post(_ json: Data, to url: URL) async throws -> HTTPReply
}
