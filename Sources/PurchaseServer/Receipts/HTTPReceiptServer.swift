import AsyncHTTPClient
import Foundation
import HTTPTransport
import NIOCore
import NIOHTTP1
import PurchaseLedger
import StoreModel
import WebSupport

/// Sends requests to a store over HTTP: those of `verifyReceipt`, and with ``transport(timeoutSeconds:)`` all others.
///
/// Close it after its last use.
public final class HTTPReceiptServer: ReceiptServer {
  private let client: HTTPClient
  private let clock: any MachineClock

  /// - Parameter clock: measures the timeouts.
  public init(clock: any MachineClock = SystemClock()) {
    self.clock = clock
    var configuration = HTTPClient.Configuration.singletonConfiguration.checkingStatus()
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
    let (head, body) = try await exchange(request, timeoutMilliseconds: timeoutMilliseconds).get()
    return ReceiptServerReply(
      httpStatus: Int(head.status.code), body: body, retryAfter: head.headers.first(name: "Retry-After"),
      date: head.headers.first(name: "Date"))
  }

  /// Sends a request, and returns the complete response.
  ///
  /// - Parameter timeoutMilliseconds: the time until the last byte of the response.
  fileprivate func exchange(
    _ request: HTTPClientRequest, timeoutMilliseconds: Int64
  ) async -> Result<(head: HTTPClientResponse, body: Data), ReceiptServerFailure> {
    let (client, clock) = (client, clock)
    // The client's own deadline covers only the head of the response, not its body.
    return await withTaskGroup(of: Result<(HTTPClientResponse, Data), ReceiptServerFailure>?.self) { group in
      group.addTask { await Self.send(request, client, timeoutMilliseconds) }
      group.addTask {
        do {
          try await clock.sleep(for: .milliseconds(timeoutMilliseconds))
          return .failure(.timeout)
        } catch {
          return nil
        }
      }
      defer { group.cancelAll() }
      for await result in group { if let result { return result.map { (head: $0.0, body: $0.1) } } }
      return .failure(.timeout)
    }
  }

  private static func send(
    _ request: HTTPClientRequest, _ client: HTTPClient, _ timeoutMilliseconds: Int64
  ) async -> Result<(HTTPClientResponse, Data), ReceiptServerFailure> {
    do {
      let response = try await client.execute(request, deadline: .now() + .milliseconds(timeoutMilliseconds))
      let answer = try await response.body.collect(upTo: ReceiptServerReply.maximumBytes)
      return .success((response, Data(buffer: answer)))
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

extension HTTPReceiptServer {
  /// Sends requests over the same connections.
  ///
  /// - Parameter timeoutSeconds: the time until the last byte of a response.
  public func transport(timeoutSeconds: Int) -> any HTTPSender {
    StoreTransport(server: self, timeoutMilliseconds: Int64(timeoutSeconds) * 1_000)
  }
}

private struct StoreTransport: HTTPSender {
  let server: HTTPReceiptServer
  let timeoutMilliseconds: Int64

  func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
    var request = HTTPClientRequest(url: call.url.absoluteString)
    request.method = HTTPMethod(rawValue: call.method)
    for (name, value) in call.fields { request.headers.replaceOrAdd(name: name, value: value) }
    if let body = call.body { request.body = .bytes(ByteBuffer(bytes: body)) }
    let result = await server.exchange(request, timeoutMilliseconds: timeoutMilliseconds)
    try Task.checkCancellation()
    let (head, body): (HTTPClientResponse, Data)
    do {
      (head, body) = try result.get()
    } catch {
      let server = call.url.origin
      switch error {
      case .noConnection, .timeout: throw HTTPFailure.noAnswer(reason: "\(server): \(error)")
      case .answerTooLarge: throw HTTPFailure.unintelligible(reason: "\(server): \(error)")
      }
    }
    var fields: [String: String] = [:]
    for (name, value) in head.headers where fields[name] == nil { fields[name] = value }
    try sink.begin(HTTPReplyHead(status: Int(head.status.code), fields: fields))
    try sink.take(body)
  }
}
