import Crypto
import CryptoExtras
import Foundation
import JWTKit
import PurchaseLedger
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("Identified customers", .timeLimit(.minutes(30)))
struct IdentityTests {
  private static let issuer = "https://id.example"
  private static let audience = "purchases"

  /// The operator's identity system. It signs tokens with two keys.
  private struct Issuer {
    let clock = ManualClock(BookStore.opening)
    let key = P256.Signing.PrivateKey()
    let second = P256.Signing.PrivateKey()

    var now: Int { Int(clock.now.millisecondsSince1970 / 1000) }

    static func jwk(_ key: P256.Signing.PrivateKey, _ id: String, algorithm: String? = "ES256") -> [String: String] {
      let raw = key.publicKey.rawRepresentation
      var jwk = ["kty": "EC", "crv": "P-256", "kid": id, "use": "sig"]
      jwk["x"] = Self.text(raw.prefix(32))
      jwk["y"] = Self.text(raw.suffix(32))
      jwk["alg"] = algorithm
      return jwk
    }

    func identity(
      _ keys: [[String: String]]? = nil, issuer: String = IdentityTests.issuer
    ) async throws -> CustomerIdentity {
      let set = try json(["keys": keys ?? [Self.jwk(key, "one"), Self.jwk(second, "two")]])
      return try await CustomerIdentity(
        keySet: Data(set.utf8), issuer: issuer, audience: IdentityTests.audience, clock: clock)
    }

    func claims(_ changes: [String: Any?] = [:]) -> [String: Any] {
      var claims: [String: Any] = [
        "iss": IdentityTests.issuer, "aud": IdentityTests.audience, "sub": "ada", "exp": now + 600,
      ]
      for (name, value) in changes { claims[name] = value }
      return claims
    }

    func token(
      _ changes: [String: Any?] = [:], header: [String: Any] = ["alg": "ES256", "kid": "one", "typ": "JWT"],
      by key: P256.Signing.PrivateKey? = nil
    ) throws -> String {
      let text = try Self.signed(header, claims(changes))
      let signature = try (key ?? self.key).signature(for: Data(text.utf8)).rawRepresentation
      return "\(text).\(Self.text(signature))"
    }

    static func signed(_ header: [String: Any], _ claims: [String: Any]) throws -> String {
      "\(text(Data(try json(header).utf8))).\(text(Data(try json(claims).utf8)))"
    }

    static func text(_ data: some DataProtocol) -> String {
      Data(data).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
  }

  @Test("a valid token identifies its customer, the same each time, for every app")
  func good() async throws {
    let issuer = Issuer()
    let fixture = try await ServerFixture(.init(identity: issuer.identity()))
    let tokens = [
      try issuer.token(), try issuer.token(["exp": issuer.now + 60]),
      try issuer.token(["aud": ["other", Self.audience]]),
      try issuer.token(header: ["alg": "ES256", "kid": "two"], by: issuer.second),
      try issuer.token(["nbf": issuer.now]), try issuer.token(["exp": issuer.now - 59]),
    ]
    try await fixture.withClient { client in
      var customers: Set<String> = []
      for token in tokens {
        let reply = try await client.get("\(ServerFixture.path)/customer", token: token)
        #expect(reply.status == 200, "\(reply.text)")
        #expect(reply.object["isIdentified"] as? Bool == true)
        customers.insert(reply.object["customer"] as? String ?? "")
      }
      let elsewhere = try await client.get("/v1/apps/\(BookStore.otherApp)/customer", token: tokens[0])
      customers.insert(elsewhere.object["customer"] as? String ?? "")
      #expect(customers.count == 1)
      let other = try await client.get("\(ServerFixture.path)/customer", token: issuer.token(["sub": "bob"]))
      #expect(other.object["customer"] as? String != customers.first)
      let out = try await client.send(.delete, "\(ServerFixture.path)/installations/current", token: tokens[0])
      #expect((out.status, out.code) == (409, "notHere"))
    }
  }

  @Test("a customer has one rate, over all their tokens and all spellings of a token")
  func oneRate() async throws {
    let issuer = Issuer()
    var options = ServerFixture.Options(identity: try await issuer.identity())
    (options.configuration.limits.burst, options.configuration.limits.requestsPerSecond) = (4, 0.001)
    let fixture = try await ServerFixture(options)
    let tokens = try (0..<8).map { number in
      // All tokens are different, and so are some of their headers.
      try issuer.token(["nonce": number], header: ["alg": "ES256", "kid": "one", "typ": "JWT\(number % 2)"])
    }
    try await fixture.withClient { client async throws in
      var statuses: [Int] = []
      for token in tokens {
        statuses.append(try await client.get("\(ServerFixture.path)/customer", token: token).status)
      }
      // The first request with each token is counted by the address until its limit is reached. All others count by the customer.
      #expect(statuses.filter { $0 == 200 }.count <= 8 && statuses.filter { $0 == 429 }.isEmpty)
      statuses = []
      for token in tokens {
        statuses.append(try await client.get("\(ServerFixture.path)/customer", token: token).status)
      }
      #expect(statuses.allSatisfy { $0 == 429 }, "\(statuses)")
      let other = try await client.get("\(ServerFixture.path)/customer", token: issuer.token(["sub": "bob"]))
      #expect(other.status == 200)
    }
  }

  @Test("the same subject at another issuer is another customer, also when the configuration changes its issuer")
  func otherIssuer() async throws {
    let (issuer, second) = (Issuer(), "https://new.example")
    let database = try SQLiteLedgerDatabase(at: nil)
    var customers: Set<String> = []
    for name in [Self.issuer, second, Self.issuer] {
      let fixture = try await ServerFixture(.init(identity: issuer.identity(issuer: name), database: database))
      let token = try issuer.token(["iss": name])
      let reply = try await fixture.withClient { try await $0.get("\(ServerFixture.path)/customer", token: token) }
      customers.insert(try #require(reply.object["customer"] as? String))
      #expect(try await fixture.ledger.customers(subject: "\(name) ada").count == 1)
    }
    #expect(customers.count == 2)
  }

  @Test(
    "an issuer is a name without spaces, because a space separates it from the subject, and without invisible characters",
    arguments: ["", "a b", " ", "a\n", "a\u{A0}", "a\u{202E}"])
  func issuers(name: String) async throws {
    await #expect(throws: CustomerIdentityError.unusableIssuer) { _ = try await Issuer().identity(issuer: name) }
  }

  @Test("an invalid token is refused, and no customer is created for it")
  func bad() async throws {
    let issuer = Issuer()
    let fixture = try await ServerFixture(.init(identity: issuer.identity()))
    let (now, stranger) = (issuer.now, P256.Signing.PrivateKey())
    let header: [String: Any] = ["alg": "HS256", "kid": "one"]
    let confused = try Issuer.signed(header, issuer.claims())
    let secrets = [
      Data(issuer.key.publicKey.pemRepresentation.utf8), issuer.key.publicKey.x963Representation,
      issuer.key.publicKey.rawRepresentation, issuer.key.publicKey.derRepresentation,
    ]
    let good = try issuer.token().split(separator: ".").map(String.init)
    var bad: [(String, String)] = [
      ("expired", try issuer.token(["exp": now - 60])),
      ("long expired", try issuer.token(["exp": -1])),
      ("exp is text", try issuer.token(["exp": "\(now + 600)"])),
      ("no exp", try issuer.token(["exp": nil])),
      ("not yet", try issuer.token(["nbf": now + 61])),
      ("other issuer", try issuer.token(["iss": "https://evil.example"])),
      ("issuer as a prefix", try issuer.token(["iss": Self.issuer + " ada"])),
      ("no issuer", try issuer.token(["iss": nil])),
      ("other audience", try issuer.token(["aud": "other"])),
      ("no audience", try issuer.token(["aud": nil])),
      ("empty audience", try issuer.token(["aud": [String]()])),
      ("no subject", try issuer.token(["sub": nil])),
      ("empty subject", try issuer.token(["sub": ""])),
      ("a stranger's key", try issuer.token(by: stranger)),
      ("the other key's id", try issuer.token(header: ["alg": "ES256", "kid": "two"])),
      ("alg none", try Issuer.signed(["alg": "none", "kid": "one"], issuer.claims()) + "."),
      ("alg none, signed", try Issuer.signed(["alg": "none"], issuer.claims()) + "." + good[2]),
      ("alg missing", try Issuer.signed(["kid": "one"], issuer.claims()) + "."),
      ("payload changed", "\(good[0]).\(Issuer.text(Data(try json(issuer.claims(["sub": "eve"])).utf8))).\(good[2])"),
      ("signature cut", "\(good[0]).\(good[1])"),
      ("signature empty", "\(good[0]).\(good[1])."),
      ("signature of zeros", "\(good[0]).\(good[1]).\(Issuer.text(Data(count: 64)))"),
      ("another alg, well signed", try issuer.token(header: ["alg": "RS256", "kid": "one"])),
      ("alg none, well signed", try issuer.token(header: ["alg": "none", "kid": "one"])),
      ("no alg, well signed", try issuer.token(header: ["kid": "one"])),
      ("crit", try issuer.token(header: ["alg": "ES256", "kid": "one", "crit": ["b64"], "b64": false])),
      ("crit, empty", try issuer.token(header: ["alg": "ES256", "kid": "one", "crit": [String]()])),
      ("an unknown key's id", try issuer.token(header: ["alg": "ES256", "kid": "three"])),
      ("an empty key id", try issuer.token(header: ["alg": "ES256", "kid": ""])),
      ("a key id that is no text", try issuer.token(header: ["alg": "ES256", "kid": 1])),
      ("no token", "a.b.c"), ("dots", ".."), ("empty JSON", "e30.e30.e30"),
    ]
    for (place, secret) in secrets.enumerated() {
      let code = HMAC<SHA256>.authenticationCode(for: Data(confused.utf8), using: SymmetricKey(data: secret))
      bad.append(("HS256 with the public key, \(place)", "\(confused).\(Issuer.text(Data(code)))"))
    }
    let tokens = bad
    try await fixture.withClient { client in
      for (what, token) in tokens {
        let reply = try await client.get("\(ServerFixture.path)/customer", token: token)
        #expect((reply.status, reply.code) == (401, "tokenRefused"), "\(what)")
      }
      // The keys are still valid.
      #expect(try await client.get("\(ServerFixture.path)/customer", token: issuer.token()).status == 200)
    }
    #expect(try await fixture.ledger.customers(subject: "\(Self.issuer) eve") == [])
  }

  @Test("a token with a claim twice is refused, although its signature is right")
  func repeatedClaim() async throws {
    let issuer = Issuer()
    let identity = try await issuer.identity()
    let header = try Issuer.text(Data(json(["alg": "ES256", "kid": "one"]).utf8))
    let claims = try json(issuer.claims())
    for payload in [claims, String(claims.dropLast()) + #","sub":"eve"}"#] {
      let text = "\(header).\(Issuer.text(Data(payload.utf8)))"
      let signature = try issuer.key.signature(for: Data(text.utf8)).rawRepresentation
      let token = "\(text).\(Issuer.text(signature))"
      guard payload != claims else {
        #expect(try await identity.subject(of: token) != "")
        continue
      }
      await #expect(throws: CustomerIdentityError.refused("it is not a JSON Web Token")) {
        _ = try await identity.subject(of: token)
      }
    }
  }

  @Test("a token's header is read within the same bounds, before the rest of it")
  func tokenHeader() async throws {
    let issuer = Issuer()
    let identity = try await issuer.identity()
    let good = try issuer.token().split(separator: ".").map(String.init)
    let header = Data(
      "{\"alg\":\"ES256\",\"kid\":\"one\",\"x\":\"\(String(repeating: "\u{301}\u{316}", count: 16))\"}".utf8)
    let token = "\(Issuer.text(header)).\(good[1]).\(good[2])"
    await #expect(throws: CustomerIdentityError.refused("it is not a JSON Web Token")) {
      _ = try await identity.subject(of: token)
    }
    #expect(try await identity.subject(of: issuer.token()) != "")
  }

  @Test(
    "a subject of more than 512 bytes, or with U+0000, is refused",
    arguments: [String(repeating: "a", count: 600), "a\0b"])
  func subjects(subject: String) async throws {
    let issuer = Issuer()
    let fixture = try await ServerFixture(.init(identity: issuer.identity()))
    let token = try issuer.token(["sub": subject])
    let reply = try await fixture.withClient { try await $0.get("\(ServerFixture.path)/customer", token: token) }
    #expect((400..<500).contains(reply.status), "\(reply.text)")
  }

  @Test("an RSA key without an algorithm is for RS256: an earlier token with another algorithm does not change that")
  func rsa() async throws {
    let (issuer, key) = (Issuer(), try _RSA.Signing.PrivateKey(keySize: .bits2048))
    let primitives = try key.publicKey.getKeyPrimitives()
    let identity = try await issuer.identity([
      [
        "kty": "RSA", "kid": "one", "n": Issuer.text(primitives.modulus), "e": Issuer.text(primitives.publicExponent),
      ]
    ])
    func token(_ algorithm: String, _ digest: (Data) -> any Digest) throws -> String {
      let text = try Issuer.signed(["alg": algorithm, "kid": "one"], issuer.claims())
      let signature = try key.signature(for: digest(Data(text.utf8)), padding: .insecurePKCS1v1_5)
      return "\(text).\(Issuer.text(signature.rawRepresentation))"
    }
    let other = try token("RS384") { SHA384.hash(data: $0) }
    await #expect(throws: CustomerIdentityError.self) { _ = try await identity.subject(of: other) }
    #expect(try await identity.subject(of: token("RS256") { SHA256.hash(data: $0) }) == "\(Self.issuer) ada")
  }

  @Test("a key without an algorithm accepts only its own algorithm, whichever tokens came before")
  func algorithm() async throws {
    let issuer = Issuer()
    let identity = try await issuer.identity([Issuer.jwk(issuer.key, "one", algorithm: nil)])
    for algorithm in ["RS256", "ES384", "HS256", "EdDSA"] {
      await #expect(throws: CustomerIdentityError.self) {
        _ = try await identity.subject(
          of: issuer.token(header: ["alg": algorithm, "kid": "one"], by: P256.Signing.PrivateKey()))
      }
    }
    #expect(try await identity.subject(of: issuer.token()) == "\(Self.issuer) ada")
  }

  @Test("rotation: a set with the old key and the new one accepts both, a set without the old one only the new")
  func rotation() async throws {
    let issuer = Issuer()
    let (old, new) = (
      try issuer.token(), try issuer.token(header: ["alg": "ES256", "kid": "two"], by: issuer.second)
    )
    let both = try await issuer.identity()
    #expect(try await both.subject(of: old) == both.subject(of: new))
    let after = try await issuer.identity([Issuer.jwk(issuer.second, "two")])
    #expect(try await after.subject(of: new) == "\(Self.issuer) ada")
    await #expect(throws: CustomerIdentityError.self) { _ = try await after.subject(of: old) }
  }

  @Test(
    "an unusable key set is refused at the start, and the message contains no key",
    arguments: [
      "", "{}", "[]", #"{"keys":[]}"#, #"{"keys":[{"kty":"oct","kid":"a","alg":"HS256","k":"c2VjcmV0c2VjcmV0"}]}"#,
      #"{"keys":[{"kty":"EC","crv":"P-256","kid":"a","x":"AA","y":"AA"}]}"#,
      #"{"keys":[{"kty":"EC","kid":"a","x":"AA","y":"AA"}]}"#,
      #"{"keys":[{"kty":"RSA","kid":"a","n":"AQAB","e":"AQAB","d":"c2VjcmV0c2VjcmV0"}]}"#,
    ])
  func unusable(set: String) async throws {
    do {
      _ = try await CustomerIdentity(keySet: Data(set.utf8), issuer: Self.issuer, audience: Self.audience)
      Issue.record("it was taken")
    } catch {
      #expect(!error.description.contains("c2VjcmV0c2VjcmV0"), "\(error)")
      guard case .unusableKeys = error else {
        Issue.record("\(error)")
        return
      }
    }
  }
}
