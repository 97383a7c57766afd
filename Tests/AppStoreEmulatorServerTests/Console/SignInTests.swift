import Foundation
import HTTPTypes
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulatorServer
@testable import WebSupport

@Suite("Signing in to the console", .timeLimit(.minutes(30)))
struct SignInTests {
  private static let bound = EmulatorServer.Configuration(port: 0, controlToken: "sesame & co+")
  private static let form = ["Content-Type": "application/x-www-form-urlencoded"]

  /// Signs in with a token, and returns the reply and the session's cookie.
  private func signIn(
    _ client: any TestClientProtocol, _ token: String, next: String = "/", headers: [String: String] = [:]
  ) async throws -> (Reply, cookie: String?) {
    var allowed = CharacterSet.alphanumerics
    allowed.insert("/")
    func encoded(_ text: String) throws -> String {
      try #require(text.addingPercentEncoding(withAllowedCharacters: allowed))
    }
    let reply = try await client.send(
      .post, "/console/sign-in", "token=\(try encoded(token))&next=\(try encoded(next))",
      headers: Self.form.merging(headers) { $1 })
    let cookie = reply.headers[.setCookie]?.split(separator: ";").first.map(String.init)
    return (reply, cookie)
  }

  @Test("without a token the console is open to this machine, and nothing asks to sign in")
  func open() async throws {
    try await BakeryServer().withClient { client async throws in
      let reply = try await client.get("/")
      #expect(reply.status == 200)
      #expect(!String(decoding: reply.body, as: UTF8.self).contains("sign-out"))
      #expect(try await client.get("/console/sign-in").status == 404)
    }
  }

  @Test(
    "with a token every page asks for it, and shows nothing of the store",
    arguments: ["/", "/?q=x", "/console/customers", "/console/live", "/console/nowhere", "//console//clock"])
  func asked(path: String) async throws {
    try await BakeryServer(Self.bound).withClient { client async throws in
      for headers in [[:], ["Cookie": "openstorekit-console=abc"], ["Authorization": "Bearer wrong"]] {
        let reply = try await client.get(path, headers: headers)
        let text = String(decoding: reply.body, as: UTF8.self)
        #expect(reply.status == 401, "\(path)")
        #expect(text.contains("Control token"))
        #expect(!text.contains("2026-07-01"))
      }
      #expect(try await client.get("/assets/pages.css").status == 200)
    }
  }

  @Test("the token makes a session, whose cookie opens the pages and, from this origin, the control API")
  func session() async throws {
    try await BakeryServer(Self.bound).withClient { client async throws in
      let (reply, cookie) = try await signIn(client, "sesame & co+", next: "/console/clock?x=1")
      #expect((reply.status, reply.headers[.location]) == (303, "/console/clock?x=1"))
      let attributes = try #require(reply.headers[.setCookie])
      #expect(
        attributes.contains("HttpOnly") && attributes.contains("SameSite=Strict") && attributes.contains("Path=/"))
      let session = ["Cookie": "other=1; \(try #require(cookie))"]
      #expect(try await client.get("/console/clock", headers: session).status == 200)
      #expect(try await client.get("/control/v1/clock", headers: session).status == 200)
      func patch(_ headers: [String: String]) async throws -> Int {
        try await client.send(
          .patch, "/control/v1/clock", #"{"rate": 2}"#, headers: session.merging(headers) { $1 }
        ).status
      }
      #expect(try await patch(["Origin": "http://localhost"]) == 200)
      #expect(try await patch(["Sec-Fetch-Site": "same-origin"]) == 200)
      // A change without an origin is refused, because browsers always send one.
      #expect(try await patch([:]) == 401)
      #expect(try await patch(["Origin": "http://localhost:9999"]) == 403)
      #expect(try await patch(["Sec-Fetch-Site": "same-site"]) == 403)
    }
  }

  @Test("signing out ends the session, and only from this origin")
  func signOut() async throws {
    try await BakeryServer(Self.bound).withClient { client async throws in
      let session = ["Cookie": try #require(try await signIn(client, "sesame & co+").cookie)]
      let foreign = session.merging(["Origin": "http://evil.example"]) { $1 }
      #expect(try await client.send(.post, "/console/sign-out", "", headers: foreign).status == 403)
      #expect(try await client.get("/", headers: session).status == 200)
      #expect(try await client.send(.post, "/console/sign-out", "", headers: session).status == 303)
      #expect(try await client.get("/", headers: session).status == 401)
      #expect(try await client.get("/control/v1/clock", headers: session).status == 401)
    }
  }

  @Test("a token that another origin's page gives is not looked at")
  func foreignOrigin() async throws {
    try await BakeryServer(Self.bound).withClient { client async throws in
      for headers in [["Origin": "http://evil.example"], ["Sec-Fetch-Site": "cross-site"]] {
        let (reply, cookie) = try await signIn(client, "sesame & co+", headers: headers)
        #expect((reply.status, cookie) == (403, nil))
      }
    }
  }

  @Test(
    "where to go on is a page of the console, and nowhere else",
    arguments: [
      "//evil.example", "https://evil.example", "/\\evil.example", "/control/v1/connection", "", "/console/../x y",
    ])
  func next(address: String) async throws {
    try await BakeryServer(Self.bound).withClient { client async throws in
      let (reply, _) = try await signIn(client, "sesame & co+", next: address)
      #expect((reply.status, reply.headers[.location]) == (303, "/"))
    }
  }

  @Test("ten wrong tokens are borne with, then also the right one has to wait")
  func attempts() throws {
    let clock = ManualClock(StoreDate(millisecondsSince1970: 1_000_000))
    let sessions = ConsoleSessions(controlToken: "sesame", clock: clock)
    for _ in 0..<SignInAllowance.largest {
      #expect(throws: SignInRefusal.wrongToken) { try sessions.signIn(token: "guess") }
    }
    #expect(throws: SignInRefusal.tooManyAttempts(seconds: 6)) { try sessions.signIn(token: "sesame") }
    clock.advance(seconds: 5)
    #expect(throws: SignInRefusal.tooManyAttempts(seconds: 1)) { try sessions.signIn(token: "sesame") }
    clock.advance(seconds: 1)
    #expect(sessions.admits(try sessions.signIn(token: "sesame")))
    #expect(throws: SignInRefusal.wrongToken) { try sessions.signIn(token: "guess") }
    #expect(throws: SignInRefusal.tooManyAttempts(seconds: 6)) { try sessions.signIn(token: "guess") }
  }

  @Test("too many wrong tokens are 429, with when to try again")
  func attemptsOverHTTP() async throws {
    try await BakeryServer(Self.bound).withClient { client async throws in
      for _ in 0..<SignInAllowance.largest {
        let (reply, cookie) = try await signIn(client, "wrong")
        #expect((reply.status, cookie) == (401, nil))
        #expect(String(decoding: reply.body, as: UTF8.self).contains("That is not the control token."))
      }
      let (reply, cookie) = try await signIn(client, "sesame & co+")
      #expect((reply.status, cookie) == (429, nil))
      #expect(reply.headers[.retryAfter] == "6")
    }
  }

  @Test("sessions are bounded: the oldest ends")
  func bounded() throws {
    let sessions = ConsoleSessions(controlToken: "sesame", clock: ManualClock(StoreDate(millisecondsSince1970: 0)))
    let cookies = try (0...ConsoleSessions.largestNumber).map { _ in try sessions.signIn(token: "sesame") }
    #expect(Set(cookies).count == cookies.count)
    #expect(cookies.map(sessions.admits) == [false] + Array(repeating: true, count: ConsoleSessions.largestNumber))
  }
}
