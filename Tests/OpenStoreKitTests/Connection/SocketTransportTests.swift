import Foundation
import StoreModel
import Testing

@testable import OpenStoreKit

/// A listening socket on a free port, whose connections do what the test says.
private final class Listener: Sendable {
  private let socket: Int32
  let url: URL

  /// - Parameter serve: is given each connection, on a thread of its own, and closes it.
  init(_ serve: @escaping @Sendable (Int32) -> Void = { close($0) }) throws {
    let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.socket = socket
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let (bound, port) = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        let bound = bind(socket, generic, length) == 0 && listen(socket, 200) == 0
        getsockname(socket, generic, &length)
        return (bound, UInt16(bigEndian: UnsafeRawPointer(generic).load(as: sockaddr_in.self).sin_port))
      }
    }
    try #require(bound)
    url = try #require(URL(string: "http://127.0.0.1:\(port)/device/v1/x"))
    Thread.detachNewThread {
      while true {
        let connection = accept(socket, nil, nil)
        // Closed here and nowhere else: a number that is free may be another's socket a moment later.
        guard connection >= 0 else {
          close(socket)
          return
        }
        Thread.detachNewThread { serve(connection) }
      }
    }
  }

  deinit { shutdown(socket, Int32(SHUT_RDWR)) }

  /// Reads up to the end of the request's body, and gives it.
  static func readRequest(_ connection: Int32) -> String {
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return text }
      text += String(decoding: buffer[..<count], as: UTF8.self)
      if text.hasSuffix("}") { return text }
    }
  }

  static func write(_ text: String, to connection: Int32) {
    _ = send(connection, text, text.utf8.count, Int32(MSG_NOSIGNAL))
  }
}

@Suite("The transport over a socket", .timeLimit(.minutes(5)))
struct SocketTransportTests {
  private let transport = SocketTransport(timeoutSeconds: 60)

  private func failure(_ body: () async throws -> HTTPReply) async -> String {
    do {
      return "answered \(try await body().status)"
    } catch StoreConnectionFailure.unreachable {
      return "unreachable"
    } catch StoreConnectionFailure.noAnswer {
      return "no answer"
    } catch StoreConnectionFailure.unintelligible {
      return "unintelligible"
    } catch is CancellationError {
      return "cancelled"
    } catch {
      return "\(error)"
    }
  }

  @Test("sends the whole of a large request, and takes the whole of a large answer")
  func large() async throws {
    let text = "{\"x\": \"\(String(repeating: "y", count: 3_000_000))\"}"
    let server = try Listener { connection in
      let request = Listener.readRequest(connection)
      Listener.write("HTTP/1.1 200 OK\r\nContent-Length: \(request.utf8.count)\r\n\r\n", to: connection)
      Listener.write(request, to: connection)
      close(connection)
    }
    let reply = try await transport.post(Data(text.utf8), to: server.url)
    let sent = String(decoding: reply.body, as: UTF8.self)
    #expect(sent.hasSuffix(text))
    #expect(sent.hasPrefix("POST /device/v1/x HTTP/1.1\r\nHost: 127.0.0.1:\(server.url.port ?? 0)\r\n"))
    #expect(sent.contains("\r\nContent-Length: \(text.utf8.count)\r\n"))
    #expect(sent.contains("\r\nContent-Type: application/json\r\n"))
  }

  @Test("C4 nobody listens, or there is no such host: unreachable, because nothing can have arrived")
  func unreachable() async throws {
    let url = try Listener().url
    #expect(await failure { try await transport.post(Data("{}".utf8), to: url) } == "unreachable")
    let nowhere = try #require(URL(string: "http://no-such-host.invalid/"))
    #expect(await failure { try await transport.post(Data("{}".utf8), to: nowhere) } == "unreachable")
  }

  @Test(
    "C4 hung up, reset, or cut short: no answer, because the request may have arrived",
    arguments: [
      "", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel",
    ])
  func cutShort(answer: String) async throws {
    for resets in [false, true] {
      let server = try Listener { connection in
        _ = Listener.readRequest(connection)
        Listener.write(answer, to: connection)
        if resets {
          var linger = linger(l_onoff: 1, l_linger: 0)
          setsockopt(connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        }
        close(connection)
      }
      #expect(await failure { try await transport.post(Data("{}".utf8), to: server.url) } == "no answer")
    }
  }

  @Test("C4 what never answers is no answer when the time is over")
  func timeout() async throws {
    let server = try Listener { connection in _ = Listener.readRequest(connection) }
    let impatient = SocketTransport(timeoutSeconds: 0.05)
    #expect(await failure { try await impatient.post(Data("{}".utf8), to: server.url) } == "no answer")
  }

  @Test("what does not speak HTTP is unintelligible")
  func otherProtocol() async throws {
    let server = try Listener { connection in
      _ = Listener.readRequest(connection)
      Listener.write("220 mail ready\r\n\r\n", to: connection)
      close(connection)
    }
    #expect(await failure { try await transport.post(Data("{}".utf8), to: server.url) } == "unintelligible")
  }

  @Test("a task that is cancelled ends at once, before and while it waits")
  func cancellation() async throws {
    let arrived = AsyncStream.makeStream(of: Void.self)
    let server = try Listener { connection in
      _ = Listener.readRequest(connection)
      arrived.continuation.yield()
    }
    let (transport, url) = (transport, server.url)
    let waiting = Task { await failure { try await transport.post(Data("{}".utf8), to: url) } }
    for await _ in arrived.stream { break }
    waiting.cancel()
    #expect(await waiting.value == "cancelled")
    withExtendedLifetime(server) {}
  }

  @Test("thirty at the same time, again and again, all get their own answer")
  func many() async throws {
    let server = try Listener { connection in
      let request = Listener.readRequest(connection)
      let body = request.components(separatedBy: "\r\n\r\n").last ?? ""
      Listener.write("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)", to: connection)
      close(connection)
    }
    let (transport, url) = (transport, server.url)
    for _ in 0..<5 {
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<30 {
          group.addTask {
            let text = "{\"number\": \(number)}"
            return try await transport.post(Data(text.utf8), to: url).body == Data(text.utf8)
          }
        }
        for try await isOwn in group { #expect(isOwn) }
      }
    }
    withExtendedLifetime(server) {}
  }
}
