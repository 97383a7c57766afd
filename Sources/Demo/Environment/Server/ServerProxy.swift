import Foundation
import NIOCore
import NIOPosix
import StoreModel

/// A TCP proxy between phones and purchase servers. It balances connections over the running servers. It can simulate a
/// network that is cut, at once or after a number of bytes.
final class ServerProxy: Sendable {
  /// Thrown on a connection when the network is cut.
  private struct Cut: Error {}

  private struct State: Sendable {
    var ports: [Int] = []
    var turn = 0
    var isUp = true
    var delivered = 0
    var cutAfter: Int?
    var task: Task<Void, any Error>?
  }

  private let state = LockedValue(State())
  private let cuts = AsyncStream.makeStream(of: Void.self)
  private let bytesPerSecond: Int?

  /// - Parameter bytesPerSecond: the speed of responses on each connection; nil for no limit.
  init(bytesPerSecond: Int? = nil) { self.bytesPerSecond = bytesPerSecond }

  /// Starts to accept connections.
  ///
  /// - Returns: the address for phones.
  func open() async throws -> URL {
    let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: 0) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    let task = Task {
      try await listener.executeThenClose { clients in
        try await withThrowingDiscardingTaskGroup { group in
          for try await client in clients { group.addTask { await self.carry(client) } }
        }
      }
    }
    state.withLock { $0.task = task }
    return URL(string: "http://127.0.0.1:\(listener.channel.localAddress?.port ?? 0)")!
  }

  /// Stops the proxy and closes its connections.
  func close() { state.withLock { $0.task }?.cancel() }

  /// Sets the ports of the servers.
  func lead(to ports: [Int]) { state.withLock { $0.ports = ports } }

  /// Cuts the network after `count` more bytes of responses.
  func cut(afterBytes count: Int) {
    state.withLock { ($0.delivered, $0.cutAfter) = (0, count) }
  }

  /// Cuts the network now. New connections are closed at once, existing ones at their next response.
  func cut() { state.withLock { $0.isUp = false } }

  /// Returns when the network was cut by ``cut(afterBytes:)``.
  func waitUntilCut() async { _ = await cuts.stream.first { _ in true } }

  /// Restores the network, and resets the count of bytes.
  func restore() { state.withLock { ($0.isUp, $0.delivered, $0.cutAfter) = (true, 0, nil) } }

  /// The bytes of responses since the last call of ``restore()`` or ``cut(afterBytes:)``.
  var deliveredBytes: Int { state.withLock { $0.delivered } }

  private func carry(_ client: NIOAsyncChannel<ByteBuffer, ByteBuffer>) async {
    // If the network is cut or no server runs, the connection is closed, and the client retries.
    try? await client.executeThenClose { requests, toClient in
      guard state.withLock({ $0.isUp }) else { return }
      try await connect().executeThenClose { responses, toServer in
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            for try await part in requests { try await toServer.write(part) }
            toServer.finish()
          }
          group.addTask {
            for try await part in responses {
              try self.count(part.readableBytes)
              try await toClient.write(part)
              if let bytesPerSecond = self.bytesPerSecond {
                try await Task.sleep(for: .seconds(Double(part.readableBytes) / Double(bytesPerSecond)))
              }
            }
            toClient.finish()
          }
          // If one direction fails, or the network is cut, both connections are closed.
          while let _ = try await group.next() {}
        }
      }
    }
  }

  private func connect() async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
    let ports = state.withLock { state in
      state.turn += 1
      return state.ports.indices.map { state.ports[($0 + state.turn) % state.ports.count] }
    }
    var failure: any Error = Cut()
    for port in ports {
      do {
        return try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
          .connect(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
              try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            }
          }
      } catch {
        failure = error
      }
    }
    throw failure
  }

  private func count(_ bytes: Int) throws {
    let isCut = state.withLock { state in
      guard state.isUp else { return true }
      state.delivered += bytes
      guard let cutAfter = state.cutAfter, state.delivered >= cutAfter else { return false }
      (state.isUp, state.cutAfter) = (false, nil)
      cuts.continuation.yield()
      return true
    }
    if isCut { throw Cut() }
  }
}
