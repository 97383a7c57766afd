import Crypto
import Foundation
import StoreModel
import Testing

@testable import SignedData

@Suite("A developer's statements about offers, as compact JWS", .timeLimit(.minutes(30)))
struct OfferTokenTests {
  private static let key = P256.Signing.PrivateKey()
  private static let nonce = UUID(uuid: (16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1))

  private static func token(
    _ purpose: OfferToken.Purpose = .promotionalOffer(identifier: "half"), _ id: TransactionID? = TransactionID(7)
  ) -> OfferToken {
    OfferToken(
      keyID: "KEY1", issuerID: "57246542-96fe-1a63-e053-0824d011072a", bundleID: "com.example.tea",
      productID: "gold", purpose: purpose, transactionID: id, nonce: nonce, issueDate: SampleRecords.date)
  }

  /// Signs claims that no ``OfferToken`` has.
  private static func compact(
    _ claims: String, header: String = #"{"alg":"ES256","kid":"KEY1","typ":"JWT"}"#
  ) throws -> String {
    let text = Base64.text(Array(header.utf8), .url) + "." + Base64.text(Array(claims.utf8), .url)
    return try text + "." + Base64.text(key.signature(for: Data(text.utf8)).rawRepresentation, .url)
  }

  /// The claims of ``token(_:_:)``, changed or removed.
  private static func claims(without removed: String? = nil, _ changed: [String: Any] = [:]) throws -> String {
    var claims: [String: Any] = [
      "aud": "promotional-offer", "bid": "com.example.tea", "iat": 1_714_557_600, "iss": "i",
      "nonce": nonce.uuidString, "offerIdentifier": "half", "productId": "gold", "transactionId": "7",
    ]
    claims.merge(changed) { $1 }
    if let removed { claims[removed] = nil }
    return String(decoding: try JSONSerialization.data(withJSONObject: claims), as: UTF8.self)
  }

  @Test(
    "A1 a token comes back from its JWS, for each purpose, with and without a transaction",
    arguments: [
      token(), token(.promotionalOffer(identifier: "half \"price\""), nil), token(.introductoryOffer(isAllowed: true)),
      token(.introductoryOffer(isAllowed: false)),
    ])
  func roundTrip(token: OfferToken) throws {
    let unverified = try UnverifiedOfferToken(token.compactJWS(with: Self.key))
    #expect(unverified.keyID == token.keyID && unverified.issuerID == token.issuerID)
    #expect(unverified.purpose == token.purpose && unverified.nonce == token.nonce)
    #expect(try unverified.verified(by: Self.key.publicKey) == token)
  }

  @Test("the claims have the names of Apple's libraries; seconds, and UUIDs in lower case")
  func names() throws {
    let jws = try UnverifiedJWS(Self.token().compactJWS(with: Self.key)).contents
    #expect(jws.header.algorithm == "ES256" && jws.header.keyID == "KEY1" && jws.header.type == "JWT")
    #expect(
      String(decoding: jws.payload, as: UTF8.self) == """
        {"aud":"promotional-offer","bid":"com.example.tea","iat":1714557600,"iss":"57246542-96fe-1a63-e053-0824d011072a",\
        "nonce":"100f0e0d-0c0b-0a09-0807-060504030201","offerIdentifier":"half","productId":"gold","transactionId":"7"}
        """)
    let introductory = try UnverifiedJWS(
      Self.token(.introductoryOffer(isAllowed: false)).compactJWS(with: Self.key)
    ).contents.payload
    #expect(
      String(decoding: introductory, as: UTF8.self).hasPrefix(
        #"{"allowIntroductoryOffer":false,"aud":"introductory-offer-eligibility","bid""#))
  }

  @Test("A1 a signature of another key, and of other claims, is refused")
  func signatures() async throws {
    let jws = try Self.token().compactJWS(with: Self.key)
    let other = P256.Signing.PrivateKey().publicKey
    #expect(await refusal { try UnverifiedOfferToken(jws).verified(by: other) } == .signature)
    var parts = jws.split(separator: ".").map(String.init)
    parts[1] = Base64.text(Array(try Self.claims(["offerIdentifier": "free"]).utf8), .url)
    let changed = parts.joined(separator: ".")
    #expect(await refusal { try UnverifiedOfferToken(changed).verified(by: Self.key.publicKey) } == .signature)
  }

  @Test("seconds with a fraction, an array of one audience and unknown claims are accepted")
  func tolerance() throws {
    let claims = try Self.claims(["iat": 1_714_557_600.4, "aud": ["promotional-offer"], "exp": 1])
    let token = try UnverifiedOfferToken(Self.compact(claims)).verified(by: Self.key.publicKey)
    #expect(token.issueDate == SampleRecords.date && token.purpose == .promotionalOffer(identifier: "half"))
  }

  @Test(
    "a claim that is missing is refused, except the transaction of a promotional offer",
    arguments: ["aud", "bid", "iat", "iss", "nonce", "offerIdentifier", "productId", "transactionId"])
  func required(name: String) async throws {
    let jws = try Self.compact(try Self.claims(without: name))
    if name == "transactionId" {
      #expect(try UnverifiedOfferToken(jws).verified(by: Self.key.publicKey).transactionID == nil)
    } else {
      #expect(await refusal { try UnverifiedOfferToken(jws) } == .structure)
    }
  }

  @Test("a statement about the introductory offer needs its value and a transaction")
  func requiredOfIntroductory() async throws {
    let changes: [String: Any] = ["aud": "introductory-offer-eligibility", "allowIntroductoryOffer": true]
    _ = try UnverifiedOfferToken(Self.compact(Self.claims(changes)))
    for name in ["allowIntroductoryOffer", "transactionId"] {
      let jws = try Self.compact(try Self.claims(without: name, changes))
      #expect(await refusal { try UnverifiedOfferToken(jws) } == .structure, "\(name)")
    }
  }

  @Test(
    "other audiences, headers, types and dates are refused",
    arguments: [
      try! compact(claims(["aud": "appstoreconnect-v1"])), try! compact(claims(["aud": ["promotional-offer", "b"]])),
      try! compact(claims(["aud": [String]()])), try! compact(claims(["nonce": "x"])),
      try! compact(claims(["iat": Int64.max])), try! compact(claims(["iat": "now"])),
      try! compact(claims(["transactionId": "7a"])), try! compact("[]"), try! compact(#"{"aud":"a","aud":"b"}"#),
      try! compact(claims(), header: #"{"alg":"none","kid":"KEY1"}"#),
      try! compact(claims(), header: #"{"alg":"ES256"}"#), "a.b", "", "..", "!.!.!",
    ])
  func malformed(jws: String) async {
    #expect(await refusal { try UnverifiedOfferToken(jws) } == .structure)
  }
}
