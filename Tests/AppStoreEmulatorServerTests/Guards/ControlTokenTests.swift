import AppStoreEmulator
import Foundation
import HTTPTypes
import HummingbirdTesting
import StoreModel
import Testing

@testable import AppStoreEmulatorServer
@testable import WebSupport

@Suite("The control token", .timeLimit(.minutes(30)))
struct ControlTokenTests {
  static let paths = [
    "/control/v1/customers", "/control/v1/connection", "/control/openapi.json", "/control/v1/nowhere",
    "//control/v1/customers", "/control//v1/connection", "control/v1/customers", "///control/v1/charges",
    "http://localhost/control/v1/customers", "http://localhost//control/v1/customers",
  ]

  @Test(
    "without it, or with another, the control API stays shut",
    arguments: [
      nil, "Bearer wrong", "Bearer", "Bearer ", "sesame", "Basic sesame", "Bearersesame", "Bearer sesame2",
      "Bearer sesam", "Bearer sesame, Bearer sesame",
    ])
  func refused(authorization: String?) async throws {
    let bakery = try await BakeryServer(.init(port: 0, controlToken: "sesame"))
    try await bakery.withClient { client async throws in
      let headers = authorization.map { ["Authorization": $0] } ?? [:]
      for path in Self.paths {
        let reply = try await client.get(path, headers: headers)
        #expect((reply.status, reply.code) == (401, "tokenRequired"), "\(path)")
        // Long enough for the server to check another token.
        bakery.clock.advance(seconds: 6)
      }
      for path in ["/control/v1/purchases", "//control/v1/purchases"] {
        #expect(try await client.post(path, "{}", headers: headers).status == 401, "\(path)")
      }
    }
  }

  @Test("who guesses the token at the API has to wait, as at the console, and the two are counted together")
  func guesses() async throws {
    let bakery = try await BakeryServer(.init(port: 0, controlToken: "sesame"))
    try await bakery.withClient { client async throws in
      let right = ["Authorization": "Bearer sesame"]
      for number in 0..<SignInAllowance.largest {
        let path = number % 2 == 0 ? "/control/v1/customers" : "/console/clock"
        #expect(try await client.get(path, headers: ["Authorization": "Bearer \(number)"]).status == 401)
      }
      let reply = try await client.get("/control/v1/customers", headers: right)
      #expect((reply.status, reply.code, reply.headers[.retryAfter]) == (429, "tooManyAttempts", "6"))
      #expect(try await client.get("/console/clock", headers: right).status == 429)
      // A request without a token is not counted as a guess.
      #expect(try await client.get("/control/v1/customers").status == 401)
      bakery.clock.advance(seconds: 6)
      #expect(try await client.get("/control/v1/customers", headers: right).status == 200)
    }
  }

  @Test(
    "each address has an allowance of its own, of IPv6 each network, and no more are counted than there is room for")
  func guessers() throws {
    let clock = ManualClock(StoreDate(millisecondsSince1970: 1_000_000))
    let guesses = TokenGuesses(clock: clock)
    let (guesser, neighbour) = (try #require(NetworkAddress("2001:db8::1")), NetworkAddress("2001:db8::2"))
    for _ in 0..<SignInAllowance.largest {
      #expect(throws: SignInRefusal.wrongToken) { try guesses.check(from: guesser) { false } }
    }
    #expect(throws: SignInRefusal.tooManyAttempts(seconds: 6)) { try guesses.check(from: neighbour) { true } }
    try guesses.check(from: NetworkAddress("192.0.2.1")) { true }
    for number in 0..<(3 * TokenGuesses.largestNumber) {
      let address = NetworkAddress("10.\(number >> 16).\(number >> 8 & 255).\(number & 255)")
      try? guesses.check(from: address) { false }
    }
    #expect(guesses.count <= TokenGuesses.largestNumber + 1)
    // Addresses beyond the maximum number share one allowance.
    #expect(throws: SignInRefusal.tooManyAttempts(seconds: 6)) {
      try guesses.check(from: NetworkAddress("198.51.100.1")) { true }
    }
    clock.advance(seconds: 60)
    try guesses.check(from: NetworkAddress("198.51.100.1")) { true }
  }

  @Test("with it the control API opens")
  func admitted() async throws {
    let bakery = try await BakeryServer(.init(port: 0, controlToken: "sesame"))
    try await bakery.withClient { client async throws in
      // RFC 9110, section 11.1: the scheme is case-insensitive.
      for authorization in ["Bearer sesame", "bearer sesame", "Bearer  sesame"] {
        let headers = ["Authorization": authorization]
        #expect(try await client.get("/control/v1/customers", headers: headers).status == 200)
        #expect(try await client.get("/control/openapi.json", headers: headers).status == 200)
      }
    }
  }

  @Test("devices and verifyReceipt need none")
  func otherAPIs() async throws {
    let bakery = try await BakeryServer(.init(port: 0, controlToken: "sesame"))
    try await bakery.withClient { client async throws in
      #expect(try await client.post("/device/v1/register", "{}").status == 400)
      #expect(try await client.post("/sandbox/verifyReceipt", "{}").status == 200)
    }
  }

  @Test(
    "bound to anything but loopback, a server without a token is not made",
    arguments: ["0.0.0.0", "::", "192.168.1.5", "store.example", ""])
  func tokenRequired(host: String) throws {
    let store = try EmulatedAppStore(.inMemory())
    for token in [nil, ""] {
      #expect(throws: EmulatorServerError.controlTokenRequired(host: host)) {
        try EmulatorServer(
          store: store, configuration: .init(host: host, controlToken: token), logger: BakeryServer.logger)
      }
    }
    _ = try EmulatorServer(
      store: store, configuration: .init(host: host, controlToken: "sesame"), logger: BakeryServer.logger)
    #expect(EmulatorServerError.controlTokenRequired(host: host).description.contains("--control-token"))
  }
}
