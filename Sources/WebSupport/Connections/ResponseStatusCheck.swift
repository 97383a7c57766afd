import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Refuses responses whose status is below 100. AsyncHTTPClient takes them for informational responses, and ends the process.
private final class ResponseStatusCheck: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias InboundOut = HTTPClientResponsePart

  private var isRefused = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isRefused else { return }
    if case .head(let head) = unwrapInboundIn(data), head.status.code < 100 {
      isRefused = true
      context.fireErrorCaught(HTTPParserError.invalidStatus)
      context.close(promise: nil)
    } else {
      context.fireChannelRead(data)
    }
  }
}

extension HTTPClient.Configuration {
  /// This configuration with a check of the status of each response. A status below 100 is `HTTPParserError.invalidStatus`. Every
  /// client of this package has this check, because the answer of another server must not end the process.
  ///
  /// Connections use HTTP/1.1, because the check belongs to these.
  package func checkingStatus() -> HTTPClient.Configuration {
    var configuration = self
    configuration.httpVersion = .http1Only
    configuration.http1_1ConnectionDebugInitializer = { channel in
      channel.eventLoop.makeCompletedFuture {
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        try pipeline.addHandler(ResponseStatusCheck(), position: .after(decoder))
      }
    }
    return configuration
  }
}

extension HTTPClient {
  /// A client with the settings of `HTTPClient.shared`, and the check of ``HTTPClient/Configuration/checkingStatus()``. It is never
  /// shut down.
  package static let checked = HTTPClient(
    eventLoopGroupProvider: .singleton, configuration: .singletonConfiguration.checkingStatus())
}
