import Foundation
import NIOCore
import NIOPosix

/// A server on a free port of this machine that answers each request with bytes of the test, valid HTTP or not, and closes the
/// connection.
package enum ScriptedServer {
  /// - Parameters:
  ///   - answer: returns the answer to a request. An empty one closes the connection without an answer.
  ///   - body: receives the port. The server ends when it returns.
  package static func run<Value: Sendable>(
    _ answer: @escaping @Sendable (String) async -> String, _ body: @escaping @Sendable (Int) async throws -> Value
  ) async throws -> Value {
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(host: "127.0.0.1", port: 0) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    let port = server.channel.localAddress?.port ?? 0
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await server.executeThenClose { connections in
          try await withThrowingDiscardingTaskGroup { clients in
            for try await connection in connections {
              clients.addTask { try? await serve(connection, answer) }
            }
          }
        }
      }
      defer { group.cancelAll() }
      return try await body(port)
    }
  }

  private static func serve(
    _ connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>, _ answer: @Sendable (String) async -> String
  ) async throws {
    try await connection.executeThenClose { inbound, outbound in
      var request = ""
      for try await part in inbound {
        request += String(buffer: part)
        guard isWhole(request) else { continue }
        try await outbound.write(ByteBuffer(string: await answer(request)))
        return
      }
    }
  }

  private static func isWhole(_ request: String) -> Bool {
    guard let end = request.range(of: "\r\n\r\n") else { return request.hasPrefix("\u{16}") }
    let length = request.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
      .flatMap { Int($0.dropFirst("content-length:".count).drop { $0 == " " }) }
    return request[end.upperBound...].utf8.count >= length ?? 0
  }
}
