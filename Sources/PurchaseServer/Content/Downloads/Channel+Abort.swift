import Foundation
import Logging
import NIOCore

extension Channel {
  /// Ends the connection so that the other end sees it reset, and drops what was still to be sent.
  func abort(logger: Logger) async {
    do {
      // Closing with a linger time of 0 sends RST in place of FIN. A test's channel has no socket.
      if let socket = self as? any SocketOptionProvider {
        try await socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
      }
      try await close(mode: .all)
    } catch ChannelError.alreadyClosed, ChannelError.ioOnClosedChannel {
      // The other end was faster.
    } catch {
      logger.debug("A connection could not be reset", metadata: ["error": "\(error)"])
      close(mode: .all, promise: nil)
    }
  }
}
