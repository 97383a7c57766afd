import AsyncHTTPClient
import Foundation
import NIOCore
import PurchaseLedger

/// Asks the store over HTTP.
///
/// Close it when nobody asks any more.
public final class HTTPReceiptServer: ReceiptServer {
  private let client: HTTPClient

  public init() {
    var configuration = HTTPClient.Configuration.singletonConfiguration
    // The shared secret is for the address that was asked and for no other.
    configuration.redirectConfiguration = .disallow
    configuration.decompression = .disabled
    // Whoever asks decides when to ask again; otherwise a port where nobody listens is tried until the time is up.
    configuration.connectionPool.retryConnectionEstablishment = false
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  public func post(
    _ body: Data, to url: URL, timeoutMilliseconds: Int64
  ) async throws(ReceiptServerFailure) -> ReceiptServerReply {
    var request = HTTPClientRequest(url: url.absoluteString)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/json")
    request.headers.add(name: "Accept", value: "application/json")
    request.body = .bytes(ByteBuffer(bytes: body))
    do {
      // The deadline holds for the body of the answer as well.
      let response = try await client.execute(request, deadline: .now() + .milliseconds(timeoutMilliseconds))
      let answer = try await response.body.collect(upTo: ReceiptServerReply.maximumBytes)
      return ReceiptServerReply(
        httpStatus: Int(response.status.code), body: Data(buffer: answer),
        retryAfter: response.headers.first(name: "Retry-After"), date: response.headers.first(name: "Date"))
    } catch is NIOTooManyBytesError {
      throw .answerTooLarge
    } catch let error as HTTPClientError where error == .deadlineExceeded || error == .connectTimeout {
      throw .timeout
    } catch {
      throw .noConnection(detail: "\(error)")
    }
  }

  public func close() async throws { try await client.shutdown() }
}
