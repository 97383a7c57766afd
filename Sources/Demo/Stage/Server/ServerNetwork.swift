import Foundation
import NIOCore
import NIOPosix
import StoreModel

/// The network between phones and purchase servers. It leads to whichever server is there, and can be cut after so many
/// bytes of an answer.
final class ServerNetwork: Sendable {
  /// Where the line is cut.
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

  /// - Parameter bytesPerSecond: how fast answers come over each connection; nil for as fast as they can.
  init(bytesPerSecond: Int? = nil) { self.bytesPerSecond = bytesPerSecond }

  /// Begins to listen.
  ///
  /// - Returns: the address that phones are given.
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

  /// Ends it, with the connections over it.
  func close() { state.withLock { $0.task }?.cancel() }

  /// Where it leads to.
  func lead(to ports: [Int]) { state.withLock { $0.ports = ports } }

  /// Cuts it when so many more bytes of answers were delivered.
  func cut(afterBytes count: Int) {
    state.withLock { ($0.delivered, $0.cutAfter) = (0, count) }
  }

  /// Cuts it now, for whatever comes next.
  func cut() { state.withLock { $0.isUp = false } }

  /// Returns when it was cut.
  func waitUntilCut() async { _ = await cuts.stream.first { _ in true } }

  /// Mends it, and counts anew.
  func mend() { state.withLock { ($0.isUp, $0.delivered, $0.cutAfter) = (true, 0, nil) } }

  /// Bytes of answers since it was mended or told to be cut.
  var deliveredBytes: Int { state.withLock { $0.delivered } }

  private func carry(_ client: NIOAsyncChannel<ByteBuffer, ByteBuffer>) async {
    // Whoever asks over a line that is cut, or of a server that is gone, is hung up on, and asks again.
    try? await client.executeThenClose { questions, toClient in
      guard state.withLock({ $0.isUp }) else { return }
      try await connect().executeThenClose { answers, toServer in
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            for try await part in questions { try await toServer.write(part) }
            toServer.finish()
          }
          group.addTask {
            for try await part in answers {
              try self.count(part.readableBytes)
              try await toClient.write(part)
              if let bytesPerSecond = self.bytesPerSecond {
                try await Task.sleep(for: .seconds(Double(part.readableBytes) / Double(bytesPerSecond)))
              }
            }
            toClient.finish()
          }
          // An answer's end, or a cut, is the end of both.
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
