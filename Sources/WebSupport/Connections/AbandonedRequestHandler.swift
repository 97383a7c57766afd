import NIOCore

/// Notices that a client has closed the connection while its request is handled.
///
/// A client that closes only its sending half counts as gone, too: the server cannot tell the two apart before it writes.
package final class AbandonedRequestHandler: ChannelDuplexHandler, RemovableChannelHandler {
  package typealias InboundIn = Any
  package typealias OutboundIn = Any

  private var isAbandoned = false
  /// Whether the server itself has closed the receiving half, because it stops. Its requests are completed.
  private var isStopping = false
  /// Finished when the client has closed the connection.
  private var watcher: AsyncStream<Never>.Continuation?

  package init() {}

  package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .inputClosed? = event as? ChannelEvent, !isStopping { end() }
    context.fireUserInboundEventTriggered(event)
  }

  package func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if mode == .input { isStopping = true }
    context.close(mode: mode, promise: promise)
  }

  private func end() {
    isAbandoned = true
    watcher?.finish()
    watcher = nil
  }

  /// A connection handles one request at a time, so there is one watcher.
  fileprivate func watch(_ continuation: AsyncStream<Never>.Continuation) {
    watcher = continuation
    if isAbandoned { end() }
  }
}

@available(*, unavailable)
extension AbandonedRequestHandler: Sendable {}

extension Channel {
  /// Returns when the client has closed the connection, or when the task is cancelled. It needs an
  /// ``AbandonedRequestHandler``.
  package func untilAbandoned() async {
    let (closing, continuation) = AsyncStream.makeStream(of: Never.self)
    eventLoop.execute { [pipeline] in
      try? pipeline.syncOperations.handler(type: AbandonedRequestHandler.self).watch(continuation)
    }
    for await _ in closing {}
  }
}
