import NIOCore
import NIOHTTP1

/// Removes `Expect` from requests with HTTP/1.0, whose clients do not understand the status 100 (RFC 9110, section 10.1.1). It
/// comes before `HTTP1ToHTTPServerCodec`, because the messages of that codec do not contain the HTTP version.
final class IgnoredExpectationHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data), head.version == .http1_0 else {
      return context.fireChannelRead(data)
    }
    head.headers.remove(name: "Expect")
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}

@available(*, unavailable)
extension IgnoredExpectationHandler: Sendable {}
