import Foundation
import Testing

@testable import HTTPTransport

extension HTTPSender {
  fileprivate func post(_ json: Data, to url: URL) async throws -> HTTPReply {
    try await reply(to: HTTPCall("POST", url, fields: ["Content-Type": "application/json"], body: json))
  }
}

@Suite("The transport over a socket", .timeLimit(.minutes(30)))
struct SocketTransportTests {
  private let transport = SocketTransport(timeoutSeconds: 60)

  private func failure(_ body: () async throws -> HTTPReply) async -> String {
    do {
      return "answered \(try await body().status)"
    } catch HTTPFailure.unreachable {
      return "unreachable"
    } catch HTTPFailure.noAnswer {
      return "no answer"
    } catch HTTPFailure.unintelligible {
      return "unintelligible"
    } catch is CancellationError {
      return "cancelled"
    } catch {
      return "\(error)"
    }
  }

  @Test("a timeout is converted to milliseconds: values above the maximum are clamped, invalid ones are zero")
  func timeouts() {
    for (seconds, milliseconds) in [
      (0.0001, 1), (1.5, 1_500), (0, 0), (-1, 0), (.nan, 0), (.infinity, .max), (-.infinity, 0), (1e300, .max),
    ] as [(Double, Int32)] {
      #expect(SocketExchange.milliseconds(seconds) == milliseconds, "\(seconds)")
    }
  }

  @Test("sends the whole of a large request, and receives the whole of a large response")
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

  @Test("C4 a closed port or an unknown host: unreachable, because the request cannot have arrived")
  func unreachable() async throws {
    let url = try Listener().url
    #expect(await failure { try await transport.post(Data("{}".utf8), to: url) } == "unreachable")
    let nowhere = try #require(URL(string: "http://no-such-host.invalid/"))
    #expect(await failure { try await transport.post(Data("{}".utf8), to: nowhere) } == "unreachable")
  }

  @Test("messages name the server and neither path nor query, which can have ids of transactions and customers")
  func messages() async throws {
    func message(_ url: URL, header: String = "x", longest: Int = 3) async -> String {
      do {
        let reply = try await transport.reply(
          to: HTTPCall("GET", url, fields: ["X": header]), longestBodyBytes: longest)
        return "answered \(reply.status)"
      } catch {
        return "\(error)"
      }
    }
    func secret(_ url: URL) throws -> URL { try #require(URL(string: "\(url.origin)/customers/7000123?id=7000123")) }
    var messages = [
      await message(try secret(try Listener().url)), await message(try secret(try Listener().url), header: "\n"),
    ]
    for answer in ["", "nothing", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"] {
      let server = try Listener { connection in
        _ = Listener.readHead(connection)
        Listener.write(answer, to: connection)
        close(connection)
      }
      messages.append(await message(try secret(server.url)))
    }
    for message in messages {
      #expect(message.contains("http://127.0.0.1:") && !message.contains("7000123"), "\(message)")
    }
    let foreign = try #require(URL(string: "http://[::1]:8080/customers/7000123"))
    #expect(foreign.origin == "http://[::1]:8080")
  }

  @Test(
    "C4 closed, reset, or cut short: no answer, because the request may have arrived",
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

  @Test("C4 without a response before the timeout: no answer")
  func timeout() async throws {
    let server = try Listener { connection in _ = Listener.readRequest(connection) }
    let impatient = SocketTransport(timeoutSeconds: 0.05)
    #expect(await failure { try await impatient.post(Data("{}".utf8), to: server.url) } == "no answer")
  }

  @Test("a response that is not HTTP is unintelligible")
  func otherProtocol() async throws {
    let server = try Listener { connection in
      _ = Listener.readRequest(connection)
      Listener.write("220 mail ready\r\n\r\n", to: connection)
      close(connection)
    }
    #expect(await failure { try await transport.post(Data("{}".utf8), to: server.url) } == "unintelligible")
  }

  @Test("a cancelled task ends at once, before and during the wait")
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

  @Test("thirty simultaneous requests, repeatedly, each get their own response")
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

  @Test("a body is passed to the sink as it arrives, and no more is read while the sink runs")
  func streamed() async throws {
    let more = DispatchSemaphore(value: 0)
    let server = try Listener { connection in
      _ = Listener.readHead(connection)
      Listener.write("HTTP/1.1 206 Partial Content\r\nETag: \"x\"\r\nContent-Length: 10\r\n\r\nhello", to: connection)
      more.wait()
      Listener.write("world", to: connection)
      close(connection)
    }
    let sink = RecordedReply { if $0 == "hello" { more.signal() } }
    try await transport.send(HTTPCall("GET", server.url, fields: ["Range": "bytes=5-"]), to: sink)
    #expect(sink.head?.status == 206)
    #expect(sink.head?["etag"] == "\"x\"")
    #expect(sink.text == "helloworld")
  }

  @Test("bytes that arrived before the connection was cut have been passed to the sink")
  func cutInTheBody() async throws {
    let server = try Listener { connection in
      _ = Listener.readHead(connection)
      Listener.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello", to: connection)
      close(connection)
    }
    let sink = RecordedReply()
    await #expect(throws: HTTPFailure.self) { try await transport.send(HTTPCall("GET", server.url), to: sink) }
    #expect(sink.text == "hello")
  }

  @Test("an error of the sink ends the exchange, and is thrown to the caller")
  func takerThrows() async throws {
    struct Full: Error {}
    let server = try Listener { connection in
      _ = Listener.readHead(connection)
      Listener.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello", to: connection)
      var byte: UInt8 = 0
      _ = recv(connection, &byte, 1, 0)
      close(connection)
    }
    let sink = RecordedReply { _ in throw Full() }
    await #expect(throws: Full.self) { try await transport.send(HTTPCall("GET", server.url), to: sink) }
  }

  @Test("a response above the limit is unintelligible; so is a line break in a header, which is never sent")
  func limits() async throws {
    let server = try Listener { connection in
      _ = Listener.readHead(connection)
      Listener.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", to: connection)
      close(connection)
    }
    let (transport, url) = (transport, server.url)
    #expect(
      await failure { try await transport.reply(to: HTTPCall("GET", url), longestBodyBytes: 4) } == "unintelligible")
    #expect(
      await failure { try await transport.reply(to: HTTPCall("GET", url), longestBodyBytes: 5) } == "answered 200")
    let split = HTTPCall("GET", url, fields: ["Authorization": "Bearer x\r\nHost: elsewhere"])
    #expect(await failure { try await transport.reply(to: split) } == "unreachable")
  }
}
