import Foundation
import NIOCore

/// Limits what the system takes for a connection and has not sent yet.
///
/// Linux and Darwin enlarge a connection's send buffer to megabytes. A client that reads nothing would fill it. The limit
/// concerns unsent bytes only, so it does not slow down a client that reads.
package final class UnsentBytesHandler: ChannelInboundHandler, RemovableChannelHandler {
  package typealias InboundIn = Any

  /// In bytes.
  package static let limit = 131_072

  package init() {}

  package func channelActive(context: ChannelHandlerContext) {
    // A test's channel, or one that is no TCP connection, has no such option; it works without.
    context.channel.setOption(ChannelOptions.tcpOption(.init(rawValue: CInt(TCP_NOTSENT_LOWAT))), value: Self.limit)
      .whenComplete { _ in }
    context.fireChannelActive()
  }
}
