import AsyncHTTPClient
import Foundation
import NIOCore
import PurchaseLedger
import StoreModel

/// Sends `verifyReceipt` requests to a store over HTTP.
///
/// Close it after its last use.
public final class HTTPReceiptServer: ReceiptServer {
  private let client: HTTPClient
  private let clock: any MachineClock

  /// - Parameter clock: measures the timeouts.
  public init(clock: any MachineClock = SystemClock()) {
    self.clock = clock
    var configuration = HTTPClient.Configuration.singletonConfiguration
    // Redirects are not followed, because the shared secret is for the configured URL only.
    configuration.redirectConfiguration = .disallow
    configuration.decompression = .disabled
    // The caller decides about retries. Otherwise the client would retry a closed port until the timeout.
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
    let (client, clock, prepared) = (client, clock, request)
    // The client's own deadline covers only the head of the response, not its body.
    let result = await withTaskGroup(of: Result<ReceiptServerReply, ReceiptServerFailure>?.self) { group in
      group.addTask { await Self.send(prepared, client, timeoutMilliseconds) }
      group.addTask {
        do {
          try await clock.sleep(for: .milliseconds(timeoutMilliseconds))
          return .failure(.timeout)
        } catch {
          return nil
        }
      }
      defer { group.cancelAll() }
      for await result in group { if let result { return result } }
      return .failure(.timeout)
    }
    return try result.get()
  }

  private static func send(
    _ request: HTTPClientRequest, _ client: HTTPClient, _ timeoutMilliseconds: Int64
  ) async -> Result<ReceiptServerReply, ReceiptServerFailure> {
    do {
      let response = try await client.execute(request, deadline: .now() + .milliseconds(timeoutMilliseconds))
      let answer = try await response.body.collect(upTo: ReceiptServerReply.maximumBytes)
      return .success(
        ReceiptServerReply(
          httpStatus: Int(response.status.code), body: Data(buffer: answer),
          retryAfter: response.headers.first(name: "Retry-After"), date: response.headers.first(name: "Date")))
    } catch is NIOTooManyBytesError {
      return .failure(.answerTooLarge)
    } catch let error as HTTPClientError where timeouts.contains(error) {
      return .failure(.timeout)
    } catch {
      return .failure(.noConnection(detail: "\(error)"))
    }
  }

  private static let timeouts: [HTTPClientError] = [.deadlineExceeded, .connectTimeout]

  public func close() async throws { try await client.shutdown() }
}
