import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes a connection whose request was answered before its body was received completely.
///
/// A client may announce a large body and send it slowly. After the response no handler reads the body, and without
/// this handler each byte of it would keep the connection open. So the response has `Connection: close`, and further
/// bytes are dropped. The connection is closed at the end of the request, or ``lingerTime`` after the response was
/// sent. Closing it at once would reset the connection, and the client could lose the response.
package final class UnreadBodyHandler: ChannelDuplexHandler, RemovableChannelHandler {
  package typealias InboundIn = HTTPRequestPart
  package typealias InboundOut = HTTPRequestPart
  package typealias OutboundIn = HTTPResponsePart
  package typealias OutboundOut = HTTPResponsePart

  /// How long the rest of a request may take after its response was sent.
  package static let lingerTime = TimeAmount.seconds(2)
  /// How long a client may take to receive a response with `Connection: close`.
  package static let sendingTime = TimeAmount.seconds(60)

  /// The number of completely received requests.
  private var received = 0
  /// The number of completely written responses.
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
    // The rest of the answered request is dropped, except its end. Later requests are dropped completely.
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
