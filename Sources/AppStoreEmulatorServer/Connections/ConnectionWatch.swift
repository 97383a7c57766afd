import Foundation
import NIOCore

/// Sees when the other end of a connection hangs up, while a request of it is still being answered.
///
/// The server itself notices only when it reads or writes again.
final class ConnectionWatch: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
  typealias InboundIn = Any

  private let lock = NSLock()
  private var isOver = false
  private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  private var lastWaiter = 0

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed { end() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  private func end() {
    let waiting = lock.withLock {
      isOver = true
      defer { self.waiting = [:] }
      return self.waiting.values
    }
    for waiter in waiting { waiter.resume() }
  }

  /// Returns when the other end has hung up, or when the task is cancelled.
  func untilOver() async {
    let number = lock.withLock {
      lastWaiter += 1
      return lastWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let mustWait = lock.withLock {
          guard !isOver, !Task.isCancelled else { return false }
          waiting[number] = continuation
          return true
        }
        if !mustWait { continuation.resume() }
      }
    } onCancel: {
      lock.withLock { waiting.removeValue(forKey: number) }?.resume()
    }
  }
}
