import Foundation
import NIOCore
import NIOPosix

/// A connection that sends any bytes, valid HTTP or not.
package struct RawConnection {
  private let port: Int

  package init(toPort port: Int) { self.port = port }

  /// Sends the texts in order, then reads until the other end closes the connection or `enough` has come.
  ///
  /// - Parameters:
  ///   - pieces: each is sent after the previous one was written.
  ///   - enough: the text that ends the reading; nil to read until the end of the connection.
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

    /// - Returns: everything received until `enough` has come or the connection has ended.
    package func read(until enough: String?) async throws -> String {
      var text = ""
      do {
        for try await piece in inbound {
          text += String(buffer: piece)
          if let enough, text.contains(enough) { break }
        }
      } catch is IOError {
        // A reset ends the connection, too.
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
