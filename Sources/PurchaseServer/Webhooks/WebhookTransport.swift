import AsyncHTTPClient
import Foundation
import HTTPTransport
import NIOCore
import NIOHTTP1
import NIOPosix
import StoreModel
import WebSupport

/// What came of an attempt to post a message to a receiver.
enum WebhookOutcome: Hashable, Sendable {
  /// The receiver has answered.
  case answered(WebhookAnswer)
  /// There was no answer.
  case failed(problem: String)
  /// Nothing was sent, because the receiver's address must not be reached.
  case refused(problem: String)
}

/// A receiver's answer. Its body is not kept: a receiver can repeat the message there, with the customer, and an erasure would not reach
/// it.
struct WebhookAnswer: Hashable, Sendable {
  /// The HTTP status.
  let status: Int
  /// The pause that the receiver asks for (`Retry-After`), in seconds, at most an hour; 0 if it asks for none.
  var retryAfterSeconds = 0
}

/// Posts messages to the receivers of webhooks.
///
/// Each attempt resolves the receiver's name, checks the addresses, and connects to one of them (``ReceiverAddresses``). Redirects
/// are not followed. Close it after its last use.
final class WebhookTransport: Sendable {
  /// How long an attempt may take, from the resolution of the name to the end of the answer, in seconds.
  static let attemptSeconds: Int64 = 15
  /// The length of the part of an answer's body that is read, in bytes. A longer one is cut off. Without reading, the connection would
  /// be closed while the receiver writes.
  private static let readBytes = 65_536
  /// The maximum number of a host's addresses that an attempt tries.
  private static let mostAddresses = 3

  private let allowsLoopback: Bool
  private let resolver: any HostResolver
  private let clock: any MachineClock
  private let headArrived: @Sendable () -> Void
  private let clients = WebhookClients()

  /// - Parameters:
  ///   - allowsLoopback: whether receivers on this machine are accepted, also without TLS.
  ///   - clock: measures the time of an attempt.
  ///   - headArrived: is called when the head of an answer has arrived, before its body is read.
  init(
    allowsLoopback: Bool, resolver: any HostResolver = SystemHostResolver(), clock: any MachineClock,
    headArrived: @escaping @Sendable () -> Void = {}
  ) {
    self.allowsLoopback = allowsLoopback
    self.resolver = resolver
    self.clock = clock
    self.headArrived = headArrived
  }

  func close() async throws { try await clients.close() }

  /// Posts a body to a receiver.
  ///
  /// - Parameters:
  ///   - url: the receiver's URL, as the ledger stores it. The server's settings may have changed since it was stored.
  ///   - fields: header fields.
  /// - Throws: `CancellationError` if the task was cancelled before the receiver has answered.
  func post(_ body: Data, to url: String, fields: [(name: String, value: String)]) async throws -> WebhookOutcome {
    let address: WebhookAddress
    do {
      address = try WebhookAddress(url, allowsLoopback: allowsLoopback)
    } catch {
      return .refused(problem: error.description)
    }
    var request = HTTPClientRequest(url: address.text)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/json")
    request.headers.add(name: "User-Agent", value: "OpenStoreKit")
    request.headers.add(name: "Connection", value: "close")
    for field in fields { request.headers.add(name: field.name, value: field.value) }
    request.body = .bytes(ByteBuffer(bytes: body))
    let outcome = await limited(request, to: address)
    // An answer counts, also if the server stops meanwhile. A failure can be caused by that.
    if case .failed = outcome { try Task.checkCancellation() }
    return outcome
  }

  private func limited(_ request: HTTPClientRequest, to address: WebhookAddress) async -> WebhookOutcome {
    // The head is known before the body, whose end a receiver can withhold.
    let head = LockedValue<WebhookAnswer?>(nil)
    let clock = clock
    return await withTaskGroup(of: WebhookOutcome?.self) { group in
      group.addTask { await self.outcome(of: request, to: address, head) }
      group.addTask {
        do {
          try await clock.sleep(for: .seconds(Self.attemptSeconds))
        } catch {
          return nil
        }
        if let answer = head.value { return WebhookOutcome.answered(answer) }
        return WebhookOutcome.failed(problem: "There was no answer within \(Self.attemptSeconds) seconds.")
      }
      defer { group.cancelAll() }
      for await outcome in group { if let outcome { return outcome } }
      return WebhookOutcome.failed(problem: "The attempt was cancelled.")
    }
  }

  /// - Parameter head: receives the answer when its head has arrived.
  private func outcome(
    of request: HTTPClientRequest, to address: WebhookAddress, _ head: LockedValue<WebhookAnswer?>
  ) async -> WebhookOutcome {
    let addresses: ReceiverAddresses
    do {
      addresses = try await ReceiverAddresses(of: address, allowsLoopback: allowsLoopback, resolver: resolver)
    } catch let error as ReceiverAddresses.Refused {
      return .refused(problem: error.description)
    } catch {
      return .failed(problem: Self.problem(error))
    }
    var problem = "The receiver could not be reached."
    for each in addresses.all.prefix(Self.mostAddresses) {
      do {
        let answer = try await clients.with(host: address.host, at: each) { client in
          try await self.answer(to: request, from: client, head)
        }
        return .answered(answer)
      } catch {
        if let answer = head.value { return .answered(answer) }
        problem = Self.problem(error)
        guard Self.isUnconnected(error), !Task.isCancelled else { break }
      }
    }
    return .failed(problem: problem)
  }

  private func answer(
    to request: HTTPClientRequest, from client: HTTPClient, _ head: LockedValue<WebhookAnswer?>
  ) async throws -> WebhookAnswer {
    // The attempt's own time ends it, by cancelling this task.
    let response = try await client.execute(request, deadline: .distantFuture)
    let headers = response.headers
    let pause = RetryAfter.seconds(headers.first(name: "Retry-After"), date: headers.first(name: "Date"))
    let answer = WebhookAnswer(status: Int(response.status.code), retryAfterSeconds: pause ?? 0)
    head.value = answer
    headArrived()
    var count = 0
    for try await part in response.body {
      count += part.readableBytes
      if count >= Self.readBytes { break }
    }
    return answer
  }

  /// Whether no connection was made, so that another address of the host may be better.
  private static func isUnconnected(_ error: any Error) -> Bool {
    if let error = error as? HTTPClientError { return error == .connectTimeout }
    return error is NIOConnectionError || error is IOError || error is ChannelError
  }

  private static func problem(_ error: any Error) -> String {
    switch error {
    case let error as HostResolutionError: "\(error)."
    case let error as WebhookClients.WrongPeer: error.description
    case let error as HTTPClientError where error == .connectTimeout: "The receiver accepts no connection."
    case let error as HTTPClientError: error.shortDescription
    default: "The connection failed: \(error)"
    }
  }
}
