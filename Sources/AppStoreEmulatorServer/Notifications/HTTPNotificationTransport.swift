import AppStoreEmulator
import AppStoreServerAPI
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import WebSupport

/// Posts notifications over HTTP and HTTPS. ``EmulatorServer`` uses it for its store.
///
/// ```swift
/// store.deliverNotifications(over: HTTPNotificationTransport())
/// ```
public struct HTTPNotificationTransport: NotificationTransport {
  public init() {}

  /// Common to all stores of the process. It is never shut down, because its connections end by themselves.
  private static let client: HTTPClient = {
    var configuration = HTTPClient.Configuration.singletonConfiguration.checkingStatus()
    configuration.redirectConfiguration = .disallow
    configuration.decompression = .disabled
    // The store decides about retries. Otherwise the client would retry a closed port until the timeout.
    configuration.connectionPool.retryConnectionEstablishment = false
    // Servers close idle connections, and a notification must not meet one that is being closed.
    configuration.maximumUsesPerConnection = 1
    configuration.timeout.connect = .seconds(30)
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }()

  public func post(_ body: Data, to url: URL) async throws(NotificationFailure) -> NotificationAnswer {
    var request = HTTPClientRequest(url: url.absoluteString)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/json")
    request.headers.add(name: "User-Agent", value: "OpenStoreKit")
    request.headers.add(name: "Connection", value: "close")
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
      throw NotificationFailure(error, at: url)
    }
  }
}

extension NotificationFailure {
  /// An error of the HTTP client in words: what happened, and what to check.
  fileprivate init(_ error: any Error, at url: URL) {
    let server = "\(url.host() ?? "")\(url.port.map { ":\($0)" } ?? "")"
    self =
      switch error {
      case let error as HTTPClientError: Self.ofClient(error, server)
      case HTTPParserError.invalidEOFState: .closed
      case is HTTPParserError:
        NotificationFailure(
          .invalidResponse, "the answer is not HTTP; check whether \(server) is your server, and whether it needs https"
        )
      case let error as NIOConnectionError: Self.ofConnection(error, server)
      case let error as IOError: Self.ofSocket(error, server)
      case is ChannelError, is SocketAddressError:
        NotificationFailure(.socketIssue, "no connection to \(server) can be made; check the address for notifications")
      case is CancellationError: .cancelled
      // The errors of TLS are types of a package that no other code needs: NIOSSLError, NIOSSLExtraError, BoringSSLError.
      default:
        "\(type(of: error))".contains("SSL")
          ? .ofTLS(server, "\(error)") : NotificationFailure(.other, "\(error)")
      }
  }

  private static let closed = NotificationFailure(
    .prematureClose, "the connection was closed before an answer; the log of your server may say why")

  private static let cancelled = NotificationFailure(.noResponse, "the store was closed")

  private static func ofTLS(_ server: String, _ reason: String) -> NotificationFailure {
    NotificationFailure(
      .tlsIssue,
      "TLS with \(server) failed; use http, or a certificate that this machine trusts for that name (\(reason))")
  }

  private static func ofClient(_ error: HTTPClientError, _ server: String) -> NotificationFailure {
    switch error {
    case .connectTimeout: NotificationFailure(.timedOut, "\(server) accepted no connection within 30 seconds")
    case .readTimeout, .deadlineExceeded: NotificationFailure(.timedOut, "there was no answer within 30 seconds")
    case .tlsHandshakeTimeout: .ofTLS(server, "there was no answer within 10 seconds")
    case .remoteConnectionClosed: .closed
    case .cancelled: .cancelled
    default: NotificationFailure(.other, error.shortDescription)
    }
  }

  private static func ofConnection(_ error: NIOConnectionError, _ server: String) -> NotificationFailure {
    if error.connectionErrors.isEmpty, error.dnsAError ?? error.dnsAAAAError != nil {
      return NotificationFailure(
        .socketIssue, "this machine knows no host \(error.host); check the address for notifications")
    }
    // Of several addresses of a host, the first one is usually the reason.
    switch error.connectionErrors.first?.error {
    case let error as IOError: return .ofSocket(error, server)
    case is ChannelError: return NotificationFailure(.timedOut, "\(server) accepted no connection within 30 seconds")
    default: return .ofUnknownSocket(server, "\(error)")
    }
  }

  private static func ofSocket(_ error: IOError, _ server: String) -> NotificationFailure {
    switch error.errnoCode {
    case ECONNREFUSED:
      NotificationFailure(
        .socketIssue, "nothing listens at \(server); start your server, or change the address for notifications")
    case ECONNRESET, EPIPE:
      NotificationFailure(
        .socketIssue, "the connection was reset before an answer; the log of your server may say why")
    case EHOSTUNREACH, ENETUNREACH:
      NotificationFailure(.socketIssue, "no network leads to \(server); check the address for notifications")
    default: .ofUnknownSocket(server, String(cString: strerror(error.errnoCode)))
    }
  }

  private static func ofUnknownSocket(_ server: String, _ reason: String) -> NotificationFailure {
    NotificationFailure(.socketIssue, "the connection to \(server) failed: \(reason)")
  }
}
