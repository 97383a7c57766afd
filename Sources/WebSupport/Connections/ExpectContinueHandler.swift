import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Answers `Expect: 100-continue` with the status 100 (RFC 9110, section 10.1.1).
///
/// curl sends this header with bodies of more than 1 MiB, and otherwise waits a second before it sends the body.
package final class ExpectContinueHandler: ChannelInboundHandler, RemovableChannelHandler {
  package typealias InboundIn = HTTPRequestPart
  package typealias InboundOut = HTTPRequestPart
  package typealias OutboundOut = HTTPResponsePart

  package init() {}

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let head) = unwrapInboundIn(data), head.headerFields[.expect]?.lowercased() == "100-continue" {
      context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }
    context.fireChannelRead(data)
  }
}

@available(*, unavailable)
extension ExpectContinueHandler: Sendable {}
