import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes a connection whose request was answered before its body came to an end.
///
/// A client may announce any body and send it as slowly as it likes. Once the response is sent nobody reads the body, and
/// without this handler each byte of it would keep the connection open. The response says `Connection: close`; what
/// still comes is dropped; the connection ends with the request, or ``lingerTime`` after the response was sent. Closing at
/// once would reset the connection, and the client could lose the response.
package final class UnreadBodyHandler: ChannelDuplexHandler, RemovableChannelHandler {
  package typealias InboundIn = HTTPRequestPart
  package typealias InboundOut = HTTPRequestPart
  package typealias OutboundIn = HTTPResponsePart
  package typealias OutboundOut = HTTPResponsePart

  /// How long the rest of a request may come after its response was sent.
  package static let lingerTime = TimeAmount.seconds(2)
  /// How long the client may take to read such a response.
  package static let sendingTime = TimeAmount.seconds(60)

  /// Requests whose end has come.
  private var received = 0
  /// Responses whose end was written.
  private var answered = 0
  /// Whether a response had `Connection: close`.
  private var mustClose = false
  private var isClosing = false
  private var isSent = false
  private var closing: Scheduled<Void>?

  package init() {}

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = unwrapInboundIn(data)
    guard isClosing else {
      if case .end = part { received += 1 }
      context.fireChannelRead(data)
      return
    }
    // Nothing after the refused request is answered on this connection.
    guard case .end = part, received < answered else { return }
    received += 1
    context.fireChannelRead(data)
    if isSent { context.close(promise: nil) }
  }

  package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head) where head.status.kind != .informational && received <= answered:
      head.headerFields[.connection] = "close"
      mustClose = true
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .end:
      answered += 1
      guard mustClose, !isClosing else { return context.write(data, promise: promise) }
      isClosing = true
      let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
      let (handler, bound) = (NIOLoopBound(self, eventLoop: context.eventLoop), context.loopBound)
      sent.futureResult.whenComplete { _ in handler.value.responseWasSent(bound.value) }
      close(context, after: Self.sendingTime)
      context.write(data, promise: sent)
    default:
      context.write(data, promise: promise)
    }
  }

  private func responseWasSent(_ context: ChannelHandlerContext) {
    isSent = true
    if received >= answered { return context.close(promise: nil) }
    close(context, after: Self.lingerTime)
  }

  private func close(_ context: ChannelHandlerContext, after time: TimeAmount) {
    closing?.cancel()
    let bound = context.loopBound
    closing = context.eventLoop.scheduleTask(in: time) { bound.value.close(promise: nil) }
  }

  package func handlerRemoved(context: ChannelHandlerContext) { closing?.cancel() }
}

@available(*, unavailable)
extension UnreadBodyHandler: Sendable {}
