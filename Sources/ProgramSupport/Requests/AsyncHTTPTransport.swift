import AsyncHTTPClient
import Foundation
import HTTPTransport
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import WebSupport

/// Sends HTTP requests by AsyncHTTPClient, each over its own connection.
///
/// The programs use it for https. URLSession would need libcurl, which a program in one file cannot contain.
struct AsyncHTTPTransport: HTTPSender {
  /// The timeout for the connection, and for each pause in the response.
  let timeoutSeconds: Double
  /// A PEM file of the root certificates that are trusted; nil for the system's roots.
  let rootsFile: String?

  func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    do {
      try await exchange(call, client, sink)
    } catch {
      // The error of the request matters more than an error of closing its connection.
      try? await client.shutdown()
      throw error
    }
    try await client.shutdown()
  }

  private var configuration: HTTPClient.Configuration {
    var configuration = HTTPClient.Configuration.singletonConfiguration.checkingStatus()
    configuration.redirectConfiguration = .disallow
    configuration.decompression = .disabled
    // The caller decides about retries. Otherwise the client would retry a closed port until the timeout.
    configuration.connectionPool.retryConnectionEstablishment = false
    let timeout = TimeAmount.milliseconds(Int64(max(1, min(timeoutSeconds, 86_400) * 1_000)))
    configuration.timeout.connect = timeout
    configuration.timeout.read = timeout
    if let rootsFile {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.trustRoots = .file(rootsFile)
      configuration.tlsConfiguration = tls
    }
    return configuration
  }

  private func exchange(_ call: HTTPCall, _ client: HTTPClient, _ sink: any HTTPReplySink) async throws {
    var request = HTTPClientRequest(url: call.url.absoluteString)
    request.method = HTTPMethod(rawValue: call.method)
    for (name, value) in call.fields { request.headers.replaceOrAdd(name: name, value: value) }
    request.headers.replaceOrAdd(name: "Connection", value: "close")
    if let body = call.body { request.body = .bytes(ByteBuffer(bytes: body)) }
    let prepared = request
    let response = try await reporting(call.url) { try await client.execute(prepared, deadline: .distantFuture) }
    var fields: [String: String] = [:]
    for (name, value) in response.headers where fields[name] == nil { fields[name] = value }
    try sink.begin(HTTPReplyHead(status: Int(response.status.code), fields: fields))
    var parts = response.body.makeAsyncIterator()
    while let part = try await reporting(call.url, { try await parts.next() }) {
      try sink.take(Data(part.readableBytesView))
    }
  }

  /// Runs a part of the exchange, and converts its errors.
  ///
  /// - Throws: `HTTPFailure` or `CancellationError`.
  private func reporting<Value>(
    _ url: URL, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
  ) async throws -> Value {
    do {
      return try await body()
    } catch {
      throw failure(error, url)
    }
  }

  private func failure(_ error: any Error, _ url: URL) -> any Error {
    switch error {
    case is CancellationError: return CancellationError()
    case let error as HTTPClientError where error == .cancelled: return CancellationError()
    case let error as HTTPClientError
    where [.connectTimeout, .tlsHandshakeTimeout, .invalidURL, .emptyHost].contains(error):
      return HTTPFailure.unreachable(reason: "\(url): \(error)")
    case NIOSSLError.noSuchFilesystemObject, NIOSSLError.failedToLoadCertificate:
      return HTTPFailure.unreachable(reason: "\(url): the root certificates \(roots) cannot be read (\(error))")
    case let error as IOError where [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(error.errnoCode):
      return HTTPFailure.unreachable(reason: "\(url): \(error)")
    case HTTPParserError.invalidEOFState:
      return HTTPFailure.noAnswer(reason: "\(url): the connection ended early")
    case is HTTPParserError: return HTTPFailure.unintelligible(reason: "\(url): its answer is not HTTP (\(error))")
    case NIOSSLError.handshakeFailed, is NIOSSLExtraError: return noTLS(error, url)
    case let error as NIOConnectionError:
      guard let cause = error.connectionErrors.last?.error else {
        return HTTPFailure.unreachable(reason: "\(url): \(error)")
      }
      return cause is BoringSSLError ? noTLS(cause, url) : HTTPFailure.unreachable(reason: "\(url): \(cause)")
    default: return HTTPFailure.noAnswer(reason: "\(url): \(error)")
    }
  }

  private func noTLS(_ error: any Error, _ url: URL) -> HTTPFailure {
    .unreachable(
      reason: "\(url): no TLS connection (\(error)); it needs a certificate for this name, from a root \(roots)")
  }

  private var roots: String {
    rootsFile.map { "in \($0)" } ?? "of the system (ca-certificates), or in the PEM file that SSL_CERT_FILE names"
  }
}

extension SystemTransport {
  /// The transport of the programs: it needs no URLSession. With `SSL_CERT_FILE` in the environment, it trusts the root
  /// certificates in this PEM file instead of the system's.
  ///
  /// - Parameter timeoutSeconds: the timeout for the connection, and for each pause in the response.
  package static func program(
    timeoutSeconds: Double = 60, environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> SystemTransport {
    SystemTransport(
      timeoutSeconds: timeoutSeconds,
      secure: AsyncHTTPTransport(
        timeoutSeconds: timeoutSeconds, rootsFile: environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }))
  }
}
