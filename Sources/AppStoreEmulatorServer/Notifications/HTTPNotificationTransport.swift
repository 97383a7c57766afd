import AppStoreEmulator
import AppStoreServerAPI
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// Posts notifications over HTTP and HTTPS. ``EmulatorServer`` uses it for its store.
///
/// ```swift
/// store.deliverNotifications(over: HTTPNotificationTransport())
/// ```
public struct HTTPNotificationTransport: NotificationTransport {
  public init() {}

  /// Common to all stores of the process. It is never shut down, because its connections end by themselves.
  private static let client: HTTPClient = {
    var configuration = HTTPClient.Configuration.singletonConfiguration
    configuration.redirectConfiguration = .disallow
    configuration.decompression = .disabled
    configuration.httpVersion = .http1Only
    // The store decides about retries. Otherwise the client would retry a closed port until the timeout.
    configuration.connectionPool.retryConnectionEstablishment = false
    // Servers close idle connections, and a notification must not meet one that is being closed.
    configuration.connectionPool.idleTimeout = .seconds(1)
    configuration.timeout.connect = .seconds(30)
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }()

  public func post(_ body: Data, to url: URL) async throws(NotificationFailure) -> NotificationAnswer {
    var request = HTTPClientRequest(url: url.absoluteString)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/json")
    request.headers.add(name: "User-Agent", value: "OpenStoreKit")
    request.body = .bytes(ByteBuffer(bytes: body))
    do {
      let response = try await Self.client.execute(request, deadline: .distantFuture)
      var answer = Data()
      for try await part in response.body {
        answer.append(contentsOf: part.readableBytesView.prefix(NotificationAnswer.longestBody - answer.count))
        if answer.count == NotificationAnswer.longestBody { break }
      }
      return NotificationAnswer(status: Int(response.status.code), body: answer)
    } catch {
      throw NotificationFailure(Self.result(of: error), "\(error)")
    }
  }

  private static func result(of error: any Error) -> SendAttemptResult {
    switch error {
    case let error as HTTPClientError:
      switch error {
      case .connectTimeout, .readTimeout, .deadlineExceeded: .timedOut
      case .tlsHandshakeTimeout: .tlsIssue
      case .remoteConnectionClosed: .prematureClose
      case .cancelled: .noResponse
      default: .other
      }
    case HTTPParserError.invalidEOFState: .prematureClose
    case is HTTPParserError: .invalidResponse
    case is NIOConnectionError, is IOError, is ChannelError, is SocketAddressError: .socketIssue
    case is CancellationError: .noResponse
    // The errors of TLS are types of a package that no other code needs: NIOSSLError, NIOSSLExtraError, BoringSSLError.
    default: "\(type(of: error))".contains("SSL") ? .tlsIssue : .other
    }
  }
}
