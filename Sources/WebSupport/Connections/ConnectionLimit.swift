import NIOCore
import StoreModel

/// Counts the open connections of each address.
///
/// Only addresses with an open connection are kept, so memory is bounded by the number of connections.
package final class ConnectionLimit: Sendable {
  private let most: Int
  private let isExempt: @Sendable (NetworkAddress) -> Bool
  private let counts = LockedValue<[[UInt8]: Int]>([:])

  /// - Parameters:
  ///   - most: the maximum number of connections of one address or, for IPv6, of one /64 network.
  ///   - isExempt: whether an address may have any number of connections, such as a reverse proxy with many clients.
  package init(most: Int, exempt isExempt: @escaping @Sendable (NetworkAddress) -> Bool = { _ in false }) {
    self.most = most
    self.isExempt = isExempt
  }

  /// The number of addresses that are counted now.
  package var addressCount: Int { counts.withLock { $0.count } }

  /// Counts a connection.
  ///
  /// - Returns: the key to pass to ``leave(_:)``; nil if the address has too many connections.
  func enter(_ address: NetworkAddress?) -> [UInt8]? {
    guard let address, !isExempt(address) else { return [] }
    let holder = address.holder
    return counts.withLock { counts in
      guard counts[holder, default: 0] < most else { return nil }
      counts[holder, default: 0] += 1
      return holder
    }
  }

  func leave(_ holder: [UInt8]) {
    counts.withLock { counts in
      guard let count = counts[holder] else { return }
      counts[holder] = count > 1 ? count - 1 : nil
    }
  }
}

/// Closes a connection as soon as it is accepted, before any byte is read, if its address has too many connections.
package final class ConnectionLimitHandler: ChannelInboundHandler, RemovableChannelHandler {
  package typealias InboundIn = Any

  private let limit: ConnectionLimit
  private var holder: [UInt8]?

  package init(_ limit: ConnectionLimit) { self.limit = limit }

  package func channelActive(context: ChannelHandlerContext) {
    holder = limit.enter(context.channel.remoteAddress?.ipAddress.flatMap { NetworkAddress($0) })
    context.fireChannelActive()
    if holder == nil { context.close(promise: nil) }
  }

  package func channelInactive(context: ChannelHandlerContext) {
    if let holder { limit.leave(holder) }
    holder = nil
    context.fireChannelInactive()
  }
}

@available(*, unavailable)
extension ConnectionLimitHandler: Sendable {}
