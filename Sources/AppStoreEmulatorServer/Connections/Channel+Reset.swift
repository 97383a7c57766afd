import Foundation
import Logging
import NIOCore

extension Channel {
  /// Ends the connection so that the other end sees it reset: no farewell, and nothing more of what was to be sent.
  func reset(logger: Logger) async {
    do {
      // Closing with a linger time of 0 sends RST in place of FIN. A test's channel has no socket.
      if let socket = self as? any SocketOptionProvider {
        try await socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
      }
      try await eventLoop.flatSubmit {
        do {
          // Closed from below everything else in the pipeline: TLS would say goodbye first.
          let floor = Floor()
          try self.pipeline.syncOperations.addHandler(floor, position: .first)
          return try self.pipeline.syncOperations.context(handler: floor).close(mode: .all)
        } catch {
          return self.eventLoop.makeFailedFuture(error)
        }
      }.get()
    } catch ChannelError.alreadyClosed, ChannelError.ioOnClosedChannel {
      // Whoever asked was faster.
    } catch {
      logger.debug("A connection could not be reset", metadata: ["error": "\(error)"])
      close(mode: .all, promise: nil)
    }
  }
}

/// A place at the bottom of a pipeline.
private final class Floor: ChannelOutboundHandler {
  typealias OutboundIn = Any
  typealias OutboundOut = Any
}
