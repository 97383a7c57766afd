import NIOCore
import StoreModel

/// Detects that the client has closed its connection while the server is still answering the client's request.
///
/// Without this handler, the server would detect the closed connection only at its next read or write.
final class ConnectionWatch: ChannelInboundHandler, RemovableChannelHandler, Sendable {
  typealias InboundIn = Any

  private struct State: Sendable {
    var isOver = false
    var waiters = WaitQueue<Void>()
  }

  private let state = LockedValue(State())

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed { end() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  private func end() {
    let waiters = state.withLock { state in
      state.isOver = true
      return state.waiters.removeAll()
    }
    for waiter in waiters { waiter.resume(()) }
  }

  /// Returns when the client has closed the connection, or when the task is cancelled.
  func untilOver() async {
    await state.wait(in: \.waiters, cancelled: ()) { $0.isOver ? () : nil }
  }
}
