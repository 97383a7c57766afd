import AppStoreServerAPI
import Crypto
import Foundation
import SignedData
import StoreModel
import Testing

@Suite("Tokens of the Server API", .timeLimit(.minutes(30)))
struct TokenTests {
  static let now = Samples.date
  static let seconds = now.millisecondsSince1970 / 1_000

  private var check: ServerAPITokenCheck {
    ServerAPITokenCheck(
      keys: [Samples.key.keyID: Samples.key.verificationKey], apps: [Samples.bundleID, "com.example.second"])
  }

  private static func claims(_ change: (inout [String: Any]) -> Void = { _ in }) -> [String: Any] {
    var claims: [String: Any] = [
      "iss": Samples.key.issuerID, "iat": seconds, "exp": seconds + 300, "aud": "appstoreconnect-v1",
      "bid": Samples.bundleID.rawValue,
    ]
    change(&claims)
    return claims
  }

  private static func token(
    _ claims: [String: Any], header: [String: Any] = ["alg": "ES256", "kid": Samples.key.keyID, "typ": "JWT"],
    by key: P256.Signing.PrivateKey = Samples.privateKey
  ) throws -> String {
    var text = try [header, claims].map {
      Base64.text(try JSONSerialization.data(withJSONObject: $0), .url)
    }.joined(separator: ".")
    text += "." + Base64.text(try key.signature(for: Data(text.utf8)).rawRepresentation, .url)
    return text
  }

  private func refusal(
    _ token: @autoclosure () throws -> String, at now: StoreDate = TokenTests.now
  ) throws -> TokenRefusal? {
    let token = try token()
    do throws(TokenRefusal) {
      _ = try check.check(authorization: "Bearer \(token)", at: now)
      return nil
    } catch {
      #expect(error.description.hasSuffix("."))
      return error
    }
  }

  @Test("a token that is made passes the check until it ends, and its iat is a minute back")
  func making() throws {
    let token = try Samples.key.token(for: Samples.bundleID, at: Self.now, lifetimeSeconds: 300)
    #expect(token.expirationDate == Self.now.adding(seconds: 300) && token.startDate == Self.now)
    let checked = try check.check(token.text, at: Self.now)
    #expect(checked.bundleID == Samples.bundleID && checked.keyID == Samples.key.keyID)
    #expect(checked.issuerID == Samples.key.issuerID && checked.expirationDate == token.expirationDate)
    // The store's clock may be a minute behind.
    _ = try check.check(token.text, at: Self.now.adding(seconds: -60))
    _ = try check.check(token.text, at: token.expirationDate.adding(milliseconds: -1))
    #expect(throws: TokenRefusal.self) { try check.check(token.text, at: token.expirationDate) }
    #expect(throws: TokenRefusal.self) { try check.check(token.text, at: Self.now.adding(seconds: -61)) }
    let longest = try Samples.key.token(for: Samples.bundleID, at: Self.now, lifetimeSeconds: .max)
    _ = try check.check(longest.text, at: Self.now)
  }

  @Test("a key is read from its PEM file, and a file that is no key is refused with what to do")
  func pem() throws {
    let key = try ServerAPIKey(keyID: "K", issuerID: "I", pem: Samples.privateKey.pemRepresentation)
    #expect(key.verificationKey.publicKey.rawRepresentation == Samples.privateKey.publicKey.rawRepresentation)
    #expect(throws: ServerAPIKeyError.unreadable(keyID: "K")) {
      try ServerAPIKey(keyID: "K", issuerID: "I", pem: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----")
    }
  }

  @Test("the header Authorization must be there, and carry a bearer token; the scheme's case does not matter")
  func header() throws {
    let token = try Self.token(Self.claims())
    for (value, expected) in [
      (nil, .missing), ("", .missing), ("Bearer", .notBearer), ("Basic \(token)", .notBearer), (token, .notBearer),
    ] as [(String?, TokenRefusal)] {
      #expect(throws: expected) { try check.check(authorization: value, at: Self.now) }
    }
    _ = try check.check(authorization: "bearer  \(token) ", at: Self.now)
  }

  @Test(
    "a token of Apple's Python and Java libraries, without iat, is accepted, and typ and a list as aud are tolerated")
  func accepted() throws {
    #expect(try refusal(try Self.token(Self.claims { $0["iat"] = nil })) == nil)
    #expect(try refusal(try Self.token(Self.claims { $0["aud"] = ["other", "appstoreconnect-v1"] })) == nil)
    #expect(try refusal(try Self.token(Self.claims { $0["bid"] = "com.example.second" })) == nil)
    #expect(try refusal(try Self.token(Self.claims { $0["nonce"] = "n" })) == nil)
    for type in [nil, "jwt", "other"] as [String?] {
      var header: [String: Any] = ["alg": "ES256", "kid": Samples.key.keyID]
      header["typ"] = type
      #expect(try refusal(try Self.token(Self.claims(), header: header)) == nil)
    }
  }

  @Test("size, format, algorithm, key and signature are checked first")
  func outside() throws {
    let good = try Self.token(Self.claims())
    #expect(try refusal(String(repeating: "a", count: 4_097)) == .tooLarge(bytes: 4_097))
    for text in ["a", "a.b", "a.b.c", "...", good + "A", good.replacingOccurrences(of: ".", with: " .")] {
      guard case .unreadable? = try refusal(text) else {
        Issue.record("\(text) was not unreadable")
        continue
      }
    }
    let kid = Samples.key.keyID
    for name in ["none", "HS256", "es256", "RS256"] {
      #expect(try refusal(try Self.token(Self.claims(), header: ["alg": name, "kid": kid])) == .algorithm(name))
    }
    #expect(try refusal(try Self.token(Self.claims(), header: ["alg": "ES256"])) == .noKeyID)
    #expect(
      try refusal(try Self.token(Self.claims(), header: ["alg": "ES256", "kid": "X"])) == .unknownKey("X", known: [kid])
    )
    let other = P256.Signing.PrivateKey()
    #expect(try refusal(try Self.token(Self.claims(), by: other)) == .signature(keyID: kid))
    // The claims of another token under this signature.
    let parts = good.split(separator: ".")
    let claims = try Self.token(Self.claims { $0["exp"] = Self.seconds + 301 }).split(separator: ".")[1]
    #expect(try refusal("\(parts[0]).\(claims).\(parts[2])") == .signature(keyID: kid))
  }

  @Test("each claim that is needed is missed by its name", arguments: ["iss", "aud", "exp", "bid"])
  func missingClaims(name: String) throws {
    #expect(try refusal(try Self.token(Self.claims { $0[name] = nil })) == .noClaim(name))
    #expect(try refusal(try Self.token(Self.claims { $0[name] = NSNull() })) == .noClaim(name))
    guard case .unreadable? = try refusal(try Self.token(Self.claims { $0[name] = ["a": 1] })) else {
      Issue.record("\(name)")
      return
    }
  }

  @Test("issuer, audience and app are checked, and the reason names them")
  func identities() throws {
    let key = Samples.key
    #expect(
      try refusal(try Self.token(Self.claims { $0["iss"] = "x" }))
        == .issuer("x", expected: key.issuerID, keyID: key.keyID))
    #expect(
      try refusal(try Self.token(Self.claims { $0["aud"] = "appstoreconnect-v2" })) == .audience(["appstoreconnect-v2"])
    )
    let other = try #require(try refusal(try Self.token(Self.claims { $0["bid"] = "com.example.other" })))
    #expect(other == .otherApp("com.example.other", known: [Samples.bundleID, "com.example.second"]))
    #expect(other.description.hasPrefix(#"The token's bid is another app's: "com.example.other"."#))
  }

  @Test(
    "times are checked against wall time; exactly 60 minutes are too long",
    arguments: [
      (0, 3_599, nil), (0, 3_600, "lifetime"), (0, 7_200, "lifetime"), (-3_599, 1, "lifetime"), (-3_598, 1, nil),
      (nil, 3_599, nil), (nil, 3_600, "lifetime"), (0, 0, "expired"), (nil, -1, "expired"), (1, 300, "notYetValid"),
    ] as [(Int64?, Int64, String?)])
  func times(issued: Int64?, expires: Int64, expected: String?) throws {
    let refusal = try refusal(
      try Self.token(
        Self.claims {
          $0["iat"] = issued.map { Self.seconds + $0 }
          $0["exp"] = Self.seconds + expires
        }))
    let name = refusal.map { "\(Mirror(reflecting: $0).children.first?.label ?? "\($0)")" }
    #expect(name == expected)
  }

  @Test("a token is not valid before its nbf")
  func notBefore() throws {
    #expect(
      try refusal(try Self.token(Self.claims { $0["nbf"] = Self.seconds + 5 }))
        == .notYetValid(claim: "nbf", from: Self.now.adding(seconds: 5), now: Self.now))
    #expect(try refusal(try Self.token(Self.claims { $0["nbf"] = Self.seconds })) == nil)
  }
}
