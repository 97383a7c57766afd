import Crypto
import Foundation
import StoreModel

/// A developer's statement about an offer for one purchase: a promotional offer, or whether the customer may have the
/// introductory offer. Its signed form is a compact JWS ("Generating JWS to sign App Store requests").
///
/// A value that was read from a JWS has a checked signature: ``UnverifiedOfferToken`` makes it.
public struct OfferToken: Hashable, Sendable {
  /// What the token is for, `aud` and the claims that belong to it.
  public enum Purpose: Hashable, Sendable {
    /// `promotional-offer`: the customer may have the promotional offer with this identifier.
    case promotionalOffer(identifier: String)
    /// `introductory-offer-eligibility`: whether the customer may have the introductory offer.
    case introductoryOffer(isAllowed: Bool)
  }

  /// The identifier of the signing key, `kid`.
  public let keyID: String
  /// The identifier of the developer's team, `iss`.
  public let issuerID: String
  /// The app, `bid`.
  public let bundleID: BundleID
  public let productID: ProductID
  public let purpose: Purpose
  /// A transaction of the customer, or the customer's `appTransactionId`. A promotional offer may have none; it is then not
  /// for one customer only.
  public let transactionID: TransactionID?
  /// A different value for each token. The App Store accepts it for one purchase.
  public let nonce: UUID
  /// The date of signing, `iat`, in whole seconds.
  public let issueDate: StoreDate

  public init(
    keyID: String, issuerID: String, bundleID: BundleID, productID: ProductID, purpose: Purpose,
    transactionID: TransactionID?, nonce: UUID, issueDate: StoreDate
  ) {
    self.keyID = keyID
    self.issuerID = issuerID
    self.bundleID = bundleID
    self.productID = productID
    self.purpose = purpose
    self.transactionID = transactionID
    self.nonce = nonce
    self.issueDate = issueDate
  }

  /// Signs the token with a P-256 key.
  ///
  /// - Returns: the compact serialization (RFC 7515, section 7.1), with `ES256`.
  public func compactJWS(with key: P256.Signing.PrivateKey) throws -> String {
    var header = JSONWriter()
    header.member("alg", "ES256")
    header.member("kid", keyID)
    header.member("typ", "JWT")
    let text = Base64.text(header.finished(), .url) + "." + Base64.text(claims(), .url)
    return try text + "." + Base64.text(key.signature(for: Data(text.utf8)).rawRepresentation, .url)
  }

  private func claims() -> [UInt8] {
    var writer = JSONWriter()
    switch purpose {
    case .promotionalOffer: writer.member("aud", Self.promotionalAudience)
    case .introductoryOffer(let isAllowed):
      writer.member("allowIntroductoryOffer", isAllowed)
      writer.member("aud", Self.introductoryAudience)
    }
    writer.member("bid", bundleID.rawValue)
    writer.member("iat", issueDate.millisecondsSince1970 / 1_000)
    writer.member("iss", issuerID)
    writer.member("nonce", nonce.uuidString.lowercased())
    if case .promotionalOffer(let identifier) = purpose { writer.member("offerIdentifier", identifier) }
    writer.member("productId", productID.rawValue)
    writer.member("transactionId", transactionID?.rawValue)
    return writer.finished()
  }

  fileprivate static let promotionalAudience = "promotional-offer"
  fileprivate static let introductoryAudience = "introductory-offer-eligibility"
}

/// A token whose signature is not checked yet.
public struct UnverifiedOfferToken: Hashable, Sendable {
  private let token: OfferToken
  private let signedBytes: [UInt8]
  private let signature: [UInt8]

  /// The identifier of the key that should verify the token.
  public var keyID: String { token.keyID }
  /// The developer's team that the token claims to be from.
  public var issuerID: String { token.issuerID }
  /// What the token claims to be for.
  public var purpose: OfferToken.Purpose { token.purpose }
  public var nonce: UUID { token.nonce }

  /// Reads a compact serialization (RFC 7515, section 7.1).
  ///
  /// - Parameter compact: at most 4 MiB.
  /// - Throws: ``VerificationFailure`` with the fault `structure`.
  public init(_ compact: String) throws(VerificationFailure) {
    self = try compact.withBuffer { (text) throws(VerificationFailure) in
      let parts = try CompactJWS(text)
      let header = try parts.decodedHeader()
      guard header.algorithm == "ES256" else {
        throw .structure("the JWS is signed with \(header.algorithm.prefix(40)); only ES256 is accepted")
      }
      guard let keyID = header.keyID else { throw .structure("the header of the JWS has no kid") }
      return UnverifiedOfferToken(
        token: try ReadClaims(payload: parts.decodedPayload()).token(keyID), signedBytes: Array(parts.signingInput),
        signature: try parts.decodedSignature())
    }
  }

  private init(token: OfferToken, signedBytes: [UInt8], signature: [UInt8]) {
    self.token = token
    self.signedBytes = signedBytes
    self.signature = signature
  }

  /// Checks the signature.
  ///
  /// - Parameter key: the public key of ``keyID``.
  /// - Throws: ``VerificationFailure`` with the fault `signature`.
  public func verified(by key: P256.Signing.PublicKey) throws(VerificationFailure) -> OfferToken {
    guard let parsed = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
      key.isValidSignature(parsed, for: signedBytes)
    else {
      throw VerificationFailure(fault: .signature, detail: "the signature is not of the key \(keyID.prefix(80))")
    }
    return token
  }
}

/// The claims of a token, as they were read.
private struct ReadClaims {
  private var audiences: [String] = []
  private var issuerID: String?
  private var bundleID: String?
  private var productID: String?
  private var offerIdentifier: String?
  private var isIntroductoryOfferAllowed: Bool?
  private var transactionID: TransactionID?
  private var nonce: UUID?
  private var issueSeconds: Int64?

  init(payload: [UInt8]) throws(VerificationFailure) {
    do throws(JSONFault) {
      try payload.withBuffer { (bytes) throws(JSONFault) in
        try JSONReader.read(bytes) { (reader) throws(JSONFault) in
          try reader.members { (reader, key) throws(JSONFault) in
            if !reader.isNull() { try read(key, &reader) }
          }
        }
      }
    } catch {
      throw .structure("the claims of the JWS cannot be read: \(error)")
    }
  }

  private mutating func read(_ key: JSONKey, _ reader: inout JSONReader) throws(JSONFault) {
    if key == "aud" {
      // RFC 7519, section 4.1.3: one string, or an array of strings.
      if reader.next() == UInt8(ascii: "[") {
        try reader.elements { (reader) throws(JSONFault) in audiences.append(try reader.string()) }
      } else {
        audiences = [try reader.string()]
      }
    } else if key == "iss" {
      issuerID = try reader.string()
    } else if key == "bid" {
      bundleID = try reader.string()
    } else if key == "productId" {
      productID = try reader.string()
    } else if key == "offerIdentifier" {
      offerIdentifier = try reader.string()
    } else if key == "allowIntroductoryOffer" {
      isIntroductoryOfferAllowed = try reader.bool()
    } else if key == "transactionId" {
      transactionID = try reader.transactionID()
    } else if key == "nonce" {
      nonce = try reader.uuid()
    } else if key == "iat" {
      issueSeconds = try reader.roundedInteger()
    } else {
      try reader.skipValue()
    }
  }

  func token(_ keyID: String) throws(VerificationFailure) -> OfferToken {
    let purpose: OfferToken.Purpose
    if audiences == [OfferToken.promotionalAudience] {
      purpose = .promotionalOffer(identifier: try required(offerIdentifier, "offerIdentifier"))
    } else if audiences == [OfferToken.introductoryAudience] {
      purpose = .introductoryOffer(isAllowed: try required(isIntroductoryOfferAllowed, "allowIntroductoryOffer"))
    } else {
      let found = audiences.isEmpty ? "missing" : audiences.joined(separator: ", ")
      throw .structure(
        "the claim aud is \(found.prefix(200)); \(OfferToken.promotionalAudience) or "
          + "\(OfferToken.introductoryAudience) is expected")
    }
    if case .introductoryOffer = purpose { _ = try required(transactionID, "transactionId") }
    let (milliseconds, isTooLarge) = try required(issueSeconds, "iat").multipliedReportingOverflow(by: 1_000)
    guard !isTooLarge else { throw .structure("the claim iat is no date") }
    return OfferToken(
      keyID: keyID, issuerID: try required(issuerID, "iss"),
      bundleID: BundleID(rawValue: try required(bundleID, "bid")),
      productID: ProductID(rawValue: try required(productID, "productId")), purpose: purpose,
      transactionID: transactionID, nonce: try required(nonce, "nonce"),
      issueDate: StoreDate(millisecondsSince1970: milliseconds))
  }

  private func required<Value>(_ value: Value?, _ name: StaticString) throws(VerificationFailure) -> Value {
    guard let value else { throw .structure("the claim \(name) is missing") }
    return value
  }
}
