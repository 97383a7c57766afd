import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("Posting messages to receivers", .timeLimit(.minutes(30)))
struct WebhookTransportTests {
  /// Posts a message, and closes the transport.
  private func post(
    to url: String, resolver: any HostResolver = SystemHostResolver(), allowsLoopback: Bool = true,
    clock: any MachineClock = ManualMonotonicClock(), headArrived: @escaping @Sendable () -> Void = {}
  ) async throws -> WebhookOutcome {
    try await WebhookTransport.with(
      resolver: resolver, allowsLoopback: allowsLoopback, clock: clock, headArrived: headArrived
    ) { transport in
      try await transport.post(Data(#"{"type":"TEST"}"#.utf8), to: url, fields: [("webhook-id", "msg_1")])
    }
  }

  /// An answer whose body has a beginning and no end.
  private static func withoutEnd(_ status: HTTPResponse.Status) -> Response {
    Response(
      status: status,
      body: ResponseBody { writer in
        try await writer.write(ByteBuffer(string: "{"))
        await TestReceiver.never()
        try await writer.finish(nil)
      })
  }

  @Test("a message is posted as JSON with its fields; status and pause are returned")
  func answered() async throws {
    try await TestReceiver.listening { receiver in
      #expect(try await post(to: receiver.url) == .answered(WebhookAnswer(status: 200)))
      let message = try #require(receiver.messages.first)
      #expect(message.type == "TEST" && message.id == "msg_1")
      #expect(message.fields[.contentType] == "application/json")
      #expect(message.field("user-agent") == "OpenStoreKit")
      receiver.answer { _ in
        Response(
          status: .serviceUnavailable, headers: [.retryAfter: "7"],
          body: ResponseBody(byteBuffer: ByteBuffer(string: "later")))
      }
      let later = WebhookAnswer(status: 503, retryAfterSeconds: 7)
      #expect(try await post(to: receiver.url) == .answered(later))
    }
  }

  @Test("a redirect is not followed, wherever it leads", arguments: [301, 302, 303, 307, 308])
  func redirect(status: Int) async throws {
    try await TestReceiver.listening { receiver in
      let port = receiver.port
      for target in ["/elsewhere", "http://127.0.0.1:\(port)/elsewhere", "http://10.0.0.1/", "https://hooks.example/"] {
        receiver.answer { _ in Response(status: .init(code: status), headers: [.location: target]) }
        let answer = try await post(to: receiver.url)
        #expect(answer == .answered(WebhookAnswer(status: status)))
      }
      #expect(receiver.messages.map(\.path) == Array(repeating: "/hook", count: 4))
    }
  }

  @Test("a receiver at a private address is refused, and gets no connection")
  func privateAddress() async throws {
    try await TestReceiver.listening { receiver in
      for addresses in [["10.0.0.1"], ["169.254.169.254"], ["fd00::1"], ["127.0.0.1", "192.168.0.1"]] {
        let outcome = try await post(to: receiver.url, resolver: ScriptedResolver(addresses))
        guard case .refused(let problem) = outcome else {
          Issue.record("\(addresses): \(outcome)")
          continue
        }
        #expect(problem.hasPrefix("localhost leads to \(addresses.last ?? "")") || problem.contains("fd00"))
      }
      // A secure receiver on this machine, without the setting; and an address of this machine in other notations.
      let port = receiver.port
      for url in [
        "https://localhost:\(port)/hook", "https://127.0.0.1:\(port)/", "https://[::1]:\(port)/",
        "https://2130706433:\(port)/",
        "https://0x7f.1:\(port)/", "https://[::ffff:127.0.0.1]:\(port)/", "https://0.0.0.0:\(port)/",
        "https://10.0.0.1/",
        receiver.url,
      ] {
        guard case .refused = try await post(to: url, allowsLoopback: false) else {
          Issue.record("\(url) was not refused")
          continue
        }
      }
      #expect(receiver.messages.isEmpty)
    }
  }

  @Test(
    "a name that leads elsewhere after the check: the connection goes to the checked address, and the next attempt is refused"
  )
  func changedName() async throws {
    // The system's resolver knows 127.0.0.1 and ::1 for localhost, so only the checked address leads to the receiver.
    try await TestReceiver.listening(at: "127.0.0.2") { receiver in
      let resolver = ScriptedResolver(["127.0.0.2"], ["10.0.0.1"])
      try await WebhookTransport.with(resolver: resolver) { transport in
        let first = try await transport.post(Data(), to: receiver.url, fields: [])
        #expect(first == .answered(WebhookAnswer(status: 200)))
        // The attempt has resolved the name once, so there was no second answer between check and connection.
        #expect(resolver.asked == ["localhost"])
        guard case .refused = try await transport.post(Data(), to: receiver.url, fields: []) else {
          Issue.record("the second attempt was not refused")
          return
        }
        #expect(resolver.asked == ["localhost", "localhost"])
        #expect(receiver.messages.count == 1)
      }
    }
  }

  @Test("if no connection to an address is made, the next address is tried")
  func addresses() async throws {
    try await TestReceiver.listening { receiver in
      let resolver = ScriptedResolver(["127.0.0.3", "127.0.0.1"])
      #expect(try await post(to: receiver.url, resolver: resolver) == .answered(WebhookAnswer(status: 200)))
      guard case .failed = try await post(to: receiver.url, resolver: ScriptedResolver(["127.0.0.3"])) else {
        Issue.record("nothing listens at this address")
        return
      }
    }
  }

  @Test("the time of an attempt is limited")
  func silent() async throws {
    try await TestReceiver.listening(answer: { _ in
      await TestReceiver.never()
      return Response(status: .ok)
    }) { receiver in
      let clock = SteppedClock()
      async let outcome = post(to: receiver.url, clock: clock)
      #expect(await clock.nextSleep() == .seconds(WebhookTransport.attemptSeconds))
      clock.release()
      guard case .failed(let problem) = try await outcome else {
        Issue.record("the receiver never answers")
        return
      }
      #expect(problem.hasPrefix("There was no answer"))
    }
  }

  @Test("an answer whose body does not end counts when the time is over")
  func unfinished() async throws {
    try await TestReceiver.listening(answer: { _ in Self.withoutEnd(.gone) }) { receiver in
      let clock = SteppedClock()
      let (heads, continuation) = AsyncStream.makeStream(of: Void.self)
      async let outcome = post(to: receiver.url, clock: clock, headArrived: { continuation.yield() })
      #expect(await clock.nextSleep() == .seconds(WebhookTransport.attemptSeconds))
      for await _ in heads { break }
      clock.release()
      let answer = try await outcome
      #expect(answer == .answered(WebhookAnswer(status: 410)))
    }
  }

  @Test("an answer counts, also if the server stops while its body is read")
  func stopped() async throws {
    try await TestReceiver.listening(answer: { _ in Self.withoutEnd(.ok) }) { receiver in
      let (heads, continuation) = AsyncStream.makeStream(of: Void.self)
      let task = Task { try await post(to: receiver.url, headArrived: { continuation.yield() }) }
      for await _ in heads { break }
      task.cancel()
      let outcome = try await task.value
      #expect(outcome == .answered(WebhookAnswer(status: 200)))
    }
  }

  @Test("an answer without end is cut off, however much time there is")
  func endless() async throws {
    try await TestReceiver.listening(answer: { _ in
      Response(
        status: .ok,
        body: ResponseBody { writer in
          while !Task.isCancelled { try await writer.write(ByteBuffer(repeating: 0x61, count: 8_192)) }
        })
    }) { receiver in
      let outcome = try await post(to: receiver.url)
      #expect(outcome == .answered(WebhookAnswer(status: 200)))
    }
  }

  @Test(
    "the head of an answer counts, also if its body breaks; a connection that is closed without an answer is a failure")
  func broken() async throws {
    let head = "HTTP/1.1 204 No Content\r\n\r\n"
    let cut = "HTTP/1.1 410 Gone\r\nContent-Length: 100\r\n\r\n{"
    for (answer, status) in [
      (head, 204), (cut, 410), ("HTTP/1.1 099 No\r\n\r\n", nil), ("SMTP\r\n\r\n", nil), ("", nil),
    ] {
      try await ScriptedServer.run({ _ in answer }) { port in
        let outcome = try await post(to: "http://127.0.0.1:\(port)/")
        switch outcome {
        case .answered(let answer): #expect(answer.status == status)
        case .failed: #expect(status == nil)
        case .refused: Issue.record("\(outcome)")
        }
      }
    }
  }
}
