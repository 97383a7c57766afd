import Foundation
import Logging
import NIOCore

extension Channel {
  /// Resets the connection, and drops the bytes that were not sent yet. The client detects that the response is incomplete.
  func abort(logger: Logger) async {
    do {
      // Closing with a linger time of 0 sends RST instead of FIN. Channels of tests have no socket.
      if let socket = self as? any SocketOptionProvider {
        try await socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
      }
      try await close(mode: .all)
    } catch ChannelError.alreadyClosed, ChannelError.ioOnClosedChannel {
      // The client has already closed the connection.
    } catch {
      logger.debug("A connection could not be reset", metadata: ["error": "\(error)"])
      close(mode: .all, promise: nil)
    }
  }
}
