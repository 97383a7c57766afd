import Foundation
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import PurchaseLedger
import SharedFixtures
import Testing

@testable import PurchaseServer
@testable import WebSupport

@Suite("Expect: 100-continue", .timeLimit(.minutes(30)))
struct ExpectContinueTests {
  private static let limits = PurchaseService.Configuration(port: 0)

  /// Sends the head of a request with a body, and returns the response until the connection ends. The client waits for the
  /// status 100 before it sends the body.
  private func response(
    to request: String, version: String = "1.1", length: Int = 100, token: String? = nil, host: String = "127.0.0.1",
    body: String? = nil, at port: Int
  ) async throws -> String {
    let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
    let head =
      "\(request) HTTP/\(version)\r\nHost: \(host):\(port)\r\nConnection: close\r\n\(authorization)"
      + "Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: \(length)\r\n\r\n"
    return try await RawConnection(toPort: port).exchange([head] + [body].compactMap(\.self))
  }

  @Test("a request that is refused without its body gets no status 100")
  func refused() async throws {
    let fixture = try await ServerFixture(.init(configuration: Self.limits))
    let reader = try await fixture.reader()
    let spend = "POST \(ServerFixture.path)/credits/coins/spends"
    try await fixture.listening { port, _ in
      for (request, token, length, status) in [
        ("PUT /v1/operator/content", nil, 100, 401), (spend, nil, 100, 401), ("POST /none", reader.token, 100, 404),
        (spend, reader.token, 1_000_000, 413), ("PUT /v1/operator/content", reader.token, 100, 401),
      ] as [(String, String?, Int, Int)] {
        let text = try await response(to: request, length: length, token: token, at: port)
        #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(request): \(text)")
      }
    }
    // The emulator refuses host names of others.
    try await fixture.bookStore.listening { address in
      let port = try #require(URL(string: address)?.port)
      let text = try await response(to: "POST /control/v1/reset", host: "attacker.example", at: port)
      #expect(text.hasPrefix("HTTP/1.1 421 "), "\(text)")
    }
  }

  @Test("an accepted upload of curl gets the status 100; with HTTP/1.0 there is none")
  func accepted() async throws {
    let fixture = try await ServerFixture(.init(configuration: Self.limits))
    let file = fixture.folder.url.appending(path: "upload")
    try Data("hello".utf8).write(to: file)
    try await fixture.listening { port, _ in
      let outcome = try await Program.run(
        "curl",
        [
          "-sSv", "--noproxy", "*", "--expect100-timeout", "500", "-H", "Expect: 100-continue", "-H",
          "Authorization: Bearer \(fixture.operatorKey)", "-T", file.path,
          "http://127.0.0.1:\(port)/v1/operator/content",
        ])
      #expect(outcome.standardError.contains("< HTTP/1.1 100 Continue"), "\(outcome.output)")
      #expect(outcome.standardError.contains("< HTTP/1.1 201 Created"), "\(outcome.output)")

      let old = try await response(
        to: "PUT /v1/operator/content", version: "1.0", length: 5, token: fixture.operatorKey, body: "hello", at: port)
      #expect(old.hasPrefix("HTTP/1.1 201 ") && !old.contains(" 100 "), "\(old)")
    }
  }

  @Test("pipelined requests: each gets the status 100 when its own body is read, and none if its body has arrived")
  func pipelined() throws {
    let channel = EmbeddedChannel(handler: ExpectContinueHandler())
    func receive(withBody: Bool) throws {
      var head = HTTPRequest(method: .post, scheme: "http", authority: "x", path: "/")
      head.headerFields[.expect] = "100-continue"
      try channel.writeInbound(HTTPRequestPart.head(head))
      if withBody { try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "a"))) }
    }
    func readBody() throws -> Int? {
      channel.triggerUserOutboundEvent(ExpectContinueHandler.BodyIsRead(), promise: nil)
      guard case .head(let head) = try channel.readOutbound(as: HTTPResponsePart.self) else { return nil }
      return head.status.code
    }
    func answer() throws {
      try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
      try channel.writeOutbound(HTTPResponsePart.end(nil))
      while try channel.readOutbound(as: HTTPResponsePart.self) != nil {}
    }
    for withBody in [false, false, true] { try receive(withBody: withBody) }
    #expect(try readBody() == 100)
    #expect(try readBody() == nil)
    try answer()
    #expect(try readBody() == 100)
    try answer()
    #expect(try readBody() == nil)
    try answer()
    _ = try channel.finish()
  }
}
