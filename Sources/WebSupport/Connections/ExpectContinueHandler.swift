import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Answers `Expect: 100-continue` with the status 100 (RFC 9110, section 10.1.1).
///
/// curl sends this header with bodies of more than 1 MiB, and otherwise waits a second before it sends the body. A request
/// that arrives while an earlier one is being answered gets no status 100, because it would be part of that answer.
package final class ExpectContinueHandler: ChannelDuplexHandler, RemovableChannelHandler {
  package typealias InboundIn = HTTPRequestPart
  package typealias InboundOut = HTTPRequestPart
  package typealias OutboundIn = HTTPResponsePart
  package typealias OutboundOut = HTTPResponsePart

  /// The number of requests whose answers are not written completely.
  private var unanswered = 0

  package init() {}

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let head) = unwrapInboundIn(data) {
      unanswered += 1
      if unanswered == 1, head.headerFields[.expect]?.lowercased() == "100-continue" {
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
      }
    }
    context.fireChannelRead(data)
  }

  package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) { unanswered = max(0, unanswered - 1) }
    context.write(data, promise: promise)
  }
}

@available(*, unavailable)
extension ExpectContinueHandler: Sendable {}
