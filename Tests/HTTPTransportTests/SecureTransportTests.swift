import Foundation
import Testing

@testable import HTTPTransport
@testable import ProgramSupport

/// URLSession's transport for apps, and AsyncHTTPClient's for the programs.
@Suite("The transports with TLS", .timeLimit(.minutes(30)))
struct SecureTransportTests {
  private static let transports: [any HTTPSender] = [
    URLSessionTransport(timeoutSeconds: 60), AsyncHTTPTransport(timeoutSeconds: 60, rootsFile: nil),
  ]

  @Test(
    "passes a body on as it arrives, distinguishes a cut connection from a complete response, and follows no redirection",
    arguments: transports)
  func streamed(transport: any HTTPSender) async throws {
    let server = try Listener { connection in
      let request = Listener.readHead(connection)
      let isRedirected = request.hasPrefix("GET /device/v1/x/moved")
      Listener.write(
        isRedirected
          ? "HTTP/1.1 302 Found\r\nLocation: /device/v1/x\r\nContent-Length: 0\r\n\r\n"
          : "HTTP/1.1 200 OK\r\nETag: \"x\"\r\nContent-Length: \(request.contains("/cut") ? 10 : 5)\r\n\r\nhello",
        to: connection)
      close(connection)
    }
    let whole = RecordedReply()
    try await transport.send(HTTPCall("GET", server.url), to: whole)
    #expect(whole.text == "hello")
    #expect(whole.head?["etag"] == "\"x\"")
    let cut = RecordedReply()
    await #expect(throws: HTTPFailure.self) {
      try await transport.send(HTTPCall("GET", server.url.appending(path: "cut")), to: cut)
    }
    let moved = try await transport.reply(to: HTTPCall("GET", server.url.appending(path: "moved")))
    #expect(moved.status == 302)
  }

  @Test("C4 a closed port: unreachable; an error of the sink ends the exchange", arguments: transports)
  func failures(transport: any HTTPSender) async throws {
    struct Full: Error {}
    let url = try Listener().url
    await #expect {
      _ = try await transport.reply(to: HTTPCall("GET", url))
    } throws: {
      if case HTTPFailure.unreachable = $0 { true } else { false }
    }
    let server = try Listener { connection in
      _ = Listener.readHead(connection)
      Listener.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", to: connection)
      close(connection)
    }
    let sink = RecordedReply { _ in throw Full() }
    await #expect(throws: Full.self) { try await transport.send(HTTPCall("GET", server.url), to: sink) }
  }

  @Test("C4 root certificates that cannot be read: unreachable, with the file's name, because nothing was sent")
  func roots() async throws {
    let transport = AsyncHTTPTransport(timeoutSeconds: 60, rootsFile: "/nowhere/roots.pem")
    let url = try #require(URL(string: "https://127.0.0.1:9/"))
    await #expect {
      _ = try await transport.reply(to: HTTPCall("GET", url))
    } throws: {
      guard case HTTPFailure.unreachable(let reason) = $0 else { return false }
      return reason.contains("/nowhere/roots.pem")
    }
  }

  @Test("a status below 100 is no answer of HTTP, and ends nothing")
  func status() async throws {
    let server = try Listener { connection in
      _ = Listener.readHead(connection)
      Listener.write("HTTP/1.1 000 X\r\n\r\n", to: connection)
      close(connection)
    }
    await #expect {
      _ = try await AsyncHTTPTransport(timeoutSeconds: 60, rootsFile: nil).reply(to: HTTPCall("GET", server.url))
    } throws: {
      if case HTTPFailure.unintelligible = $0 { true } else { false }
    }
  }
}
