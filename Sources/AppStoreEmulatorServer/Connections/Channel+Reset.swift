import Foundation
import Logging
import NIOCore

extension Channel {
  /// Resets the connection. The client receives no more data, and sees a connection error instead of a normal end.
  func reset(logger: Logger) async {
    do {
      // Closing with a linger time of 0 sends RST instead of FIN. Test channels have no socket.
      if let socket = self as? any SocketOptionProvider {
        try await socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
      }
      try await eventLoop.flatSubmit {
        do {
          // Closes below all other handlers, because the TLS handler would send a closing message first.
          let start = PipelineStart()
          try self.pipeline.syncOperations.addHandler(start, position: .first)
          return try self.pipeline.syncOperations.context(handler: start).close(mode: .all)
        } catch {
          return self.eventLoop.makeFailedFuture(error)
        }
      }.get()
    } catch ChannelError.alreadyClosed, ChannelError.ioOnClosedChannel {
      // The client closed the connection first.
    } catch {
      logger.debug("A connection could not be reset", metadata: ["error": "\(error)"])
      close(mode: .all, promise: nil)
    }
  }
}

/// A handler at the bottom of the pipeline, from which the channel is closed.
private final class PipelineStart: ChannelOutboundHandler {
  typealias OutboundIn = Any
  typealias OutboundOut = Any
}
