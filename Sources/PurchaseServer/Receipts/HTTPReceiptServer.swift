import AsyncHTTPClient
import Foundation
import NIOCore
import PurchaseLedger
import StoreModel

/// Asks the store over HTTP.
///
/// Close it when nobody asks any more.
public final class HTTPReceiptServer: ReceiptServer {
  private let client: HTTPClient
  private let clock: any MachineClock

  /// - Parameter clock: measures the timeouts.
  public init(clock: any MachineClock = SystemClock()) {
    self.clock = clock
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
    let (client, clock, question) = (client, clock, request)
    // The client's own deadline ends with the head of the answer; its body may come as slowly as it likes.
    let result = await withTaskGroup(of: Result<ReceiptServerReply, ReceiptServerFailure>?.self) { group in
      group.addTask { await Self.ask(question, client, timeoutMilliseconds) }
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

  private static func ask(
    _ question: HTTPClientRequest, _ client: HTTPClient, _ timeoutMilliseconds: Int64
  ) async -> Result<ReceiptServerReply, ReceiptServerFailure> {
    do {
      let response = try await client.execute(question, deadline: .now() + .milliseconds(timeoutMilliseconds))
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
