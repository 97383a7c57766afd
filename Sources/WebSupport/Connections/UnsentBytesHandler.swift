import Foundation
import NIOCore

/// Limits the unsent bytes in the system's send buffer of a connection.
///
/// Linux and Darwin enlarge a connection's send buffer to megabytes. A client that reads nothing would fill it. The
/// limit concerns unsent bytes only, so it does not slow down a client that reads.
package final class UnsentBytesHandler: ChannelInboundHandler, RemovableChannelHandler {
  package typealias InboundIn = Any

  /// The limit in bytes.
  package static let limit = 131_072

  package init() {}

  package func channelActive(context: ChannelHandlerContext) {
    // Channels of tests, and channels that are not TCP connections, do not have this option. The failure is ignored.
    context.channel.setOption(ChannelOptions.tcpOption(.init(rawValue: CInt(TCP_NOTSENT_LOWAT))), value: Self.limit)
      .whenComplete { _ in }
    context.fireChannelActive()
  }
}
