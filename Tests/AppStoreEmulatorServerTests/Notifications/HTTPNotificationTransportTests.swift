import AppStoreEmulator
import AppStoreServerAPI
import Foundation
import SharedFixtures
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("Notifications over HTTP", .timeLimit(.minutes(30)))
struct HTTPNotificationTransportTests {
  private let transport = HTTPNotificationTransport()
  private let body = Data(#"{"signedPayload":"a.b.c"}"#.utf8)

  private func post(
    _ answer: String, scheme: String = "http"
  ) async throws -> Result<NotificationAnswer, NotificationFailure> {
    try await ScriptedServer.run({ _ in answer }) { port in
      guard let url = URL(string: "\(scheme)://127.0.0.1:\(port)/notify?app=1") else { throw CancellationError() }
      do throws(NotificationFailure) {
        return .success(try await transport.post(body, to: url))
      } catch {
        return .failure(error)
      }
    }
  }

  @Test("a notification is a POST of JSON to the whole address")
  func request() async throws {
    let requests = LockedValue<[String]>([])
    try await ScriptedServer.run({ request in
      requests.withLock { $0.append(request) }
      return "HTTP/1.1 204 No Content\r\n\r\n"
    }) { port in
      let url = try #require(URL(string: "http://127.0.0.1:\(port)/notify?app=1"))
      #expect(try await transport.post(body, to: url).isSuccess)
    }
    let request = try #require(requests.value.first)
    #expect(request.hasPrefix("POST /notify?app=1 HTTP/1.1\r\n"))
    #expect(request.lowercased().contains("\r\ncontent-type: application/json\r\n"))
    // A kept connection may be one that the server is closing.
    #expect(request.lowercased().contains("\r\nconnection: close\r\n"))
    #expect(request.hasSuffix("\r\n\r\n" + String(decoding: body, as: UTF8.self)))
  }

  @Test("a redirect is not followed")
  func redirect() async throws {
    let count = LockedValue(0)
    let status = try await ScriptedServer.run({ _ in
      count.withLock { $0 += 1 }
      return "HTTP/1.1 307 Temporary Redirect\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n"
    }) { port in
      try await transport.post(body, to: URL(string: "http://127.0.0.1:\(port)/")!).status
    }
    #expect(status == 307)
    #expect(count.value == 1)
  }

  @Test("of a long answer, 64 KiB are read; an endless one ends nothing")
  func longAnswer() async throws {
    let long = "HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n" + String(repeating: "x", count: 1_000_000)
    let answer = try await post(long).get()
    #expect(answer.status == 200)
    #expect(answer.body.count == NotificationAnswer.longestBody)
  }

  @Test(
    "each way to give no answer has its result, and words that say what happened and what to check",
    arguments: [
      ("http", "", SendAttemptResult.prematureClose, "the connection was closed before an answer"),
      (
        "http", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", .prematureClose,
        "the connection was closed before an answer"
      ),
      ("http", "no HTTP at all\r\n\r\n", .invalidResponse, "the answer is not HTTP"),
      ("http", "HTTP/1.1 000 X\r\n\r\n", .invalidResponse, "the answer is not HTTP"),
      ("http", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 099 X\r\n\r\n", .invalidResponse, "the answer is not HTTP"),
      ("https", "no TLS\r\n", .tlsIssue, "use http, or a certificate that this machine trusts"),
    ])
  func failures(scheme: String, answer: String, result: SendAttemptResult, words: String) async throws {
    let failure = try await #require(throws: NotificationFailure.self) {
      try await post(answer, scheme: scheme).get()
    }
    #expect(failure.result == result)
    #expect(failure.reason.contains(words), "\(failure.reason)")
  }

  @Test("where nothing listens, and for an unknown host, the words say so")
  func noConnection() async throws {
    let closed = try await ScriptedServer.run({ _ in "" }) { $0 }
    // Labels of host names have at most 63 characters, so no name server is asked.
    let unknown = String(repeating: "a", count: 64) + ".invalid"
    for (host, words) in [
      ("127.0.0.1:\(closed)", "nothing listens at 127.0.0.1:\(closed); start your server"),
      (unknown, "this machine knows no host \(unknown)"),
    ] {
      let url = try #require(URL(string: "http://\(host)/notify"))
      let failure = try await #require(throws: NotificationFailure.self) { try await transport.post(body, to: url) }
      #expect(failure.result == .socketIssue)
      #expect(failure.reason.hasPrefix(words), "\(failure.reason)")
    }
  }
}
