import Foundation
import NIOCore
import NIOPosix

/// A connection on which any bytes can be sent.
package struct RawConnection {
  private let port: Int

  package init(toPort port: Int) { self.port = port }

  /// Sends one text after the other and reads until the other end has nothing more to say, or `enough` has come.
  ///
  /// - Parameters:
  ///   - pieces: each is sent when the one before is on its way.
  ///   - enough: what ends the reading; nil for the end of the connection.
  package func exchange(_ pieces: [String], until enough: String? = nil) async throws -> String {
    try await open { connection in
      for piece in pieces { try await connection.send(piece) }
      return try await connection.read(until: enough)
    }
  }

  /// An open connection.
  package struct Opened {
    fileprivate let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    fileprivate let inbound: NIOAsyncChannelInboundStream<ByteBuffer>

    package func send(_ text: String) async throws { try await outbound.write(ByteBuffer(string: text)) }

    /// - Returns: what has come when `enough` is in it, or when the connection has ended.
    package func read(until enough: String?) async throws -> String {
      var text = ""
      do {
        for try await piece in inbound {
          text += String(buffer: piece)
          if let enough, text.contains(enough) { break }
        }
      } catch is IOError {
        // Reset: that is an end, too.
      }
      return text
    }
  }

  package func open<Value: Sendable>(_ body: (Opened) async throws -> Value) async throws -> Value {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    return try await channel.executeThenClose { inbound, outbound in
      try await body(Opened(outbound: outbound, inbound: inbound))
    }
  }
}
