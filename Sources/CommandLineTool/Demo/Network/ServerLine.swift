import Foundation
import NIOCore
import NIOPosix

/// The network between phones and purchase servers. It leads to whichever server is there, and can be cut after so many
/// bytes of an answer.
final class ServerLine: @unchecked Sendable {
  /// Where the line is cut.
  private struct Cut: Error {}

  private let lock = NSLock()
  private var ports: [Int] = []
  private var turn = 0
  private var isUp = true
  private var delivered = 0
  private var cutAfter: Int?
  private let cuts = AsyncStream.makeStream(of: Void.self)
  private var task: Task<Void, any Error>?
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
    task = Task {
      try await listener.executeThenClose { clients in
        try await withThrowingDiscardingTaskGroup { group in
          for try await client in clients { group.addTask { await self.carry(client) } }
        }
      }
    }
    return URL(string: "http://127.0.0.1:\(listener.channel.localAddress?.port ?? 0)")!
  }

  /// Ends it, with the connections over it.
  func close() { task?.cancel() }

  /// Where it leads to.
  func lead(to ports: [Int]) { lock.withLock { self.ports = ports } }

  /// Cuts it when so many more bytes of answers were delivered.
  func cut(afterBytes count: Int) {
    lock.withLock { (delivered, cutAfter) = (0, count) }
  }

  /// Cuts it now, for whatever comes next.
  func cut() { lock.withLock { isUp = false } }

  /// Returns when it was cut.
  func waitUntilCut() async { _ = await cuts.stream.first { _ in true } }

  /// Mends it, and counts anew.
  func mend() { lock.withLock { (isUp, delivered, cutAfter) = (true, 0, nil) } }

  /// Bytes of answers since it was mended or told to be cut.
  var deliveredBytes: Int { lock.withLock { delivered } }

  private func carry(_ client: NIOAsyncChannel<ByteBuffer, ByteBuffer>) async {
    // Whoever asks over a line that is cut, or of a server that is gone, is hung up on, and asks again.
    try? await client.executeThenClose { questions, toClient in
      guard lock.withLock({ isUp }) else { return }
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
    let ports = lock.withLock {
      turn += 1
      return self.ports.indices.map { self.ports[($0 + turn) % self.ports.count] }
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
    let isCut = lock.withLock {
      guard isUp else { return true }
      delivered += bytes
      guard let cutAfter, delivered >= cutAfter else { return false }
      (isUp, self.cutAfter) = (false, nil)
      cuts.continuation.yield()
      return true
    }
    if isCut { throw Cut() }
  }
}
