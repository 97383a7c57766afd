import Crypto
import Foundation
import SignedData
import StoreModel

/// Checks the tokens of the App Store Server API, as a store does.
///
/// A store answers every refusal with HTTP status 401, without a reason. ``TokenRefusal`` has the reason, for the
/// developer of the backend.
public struct ServerAPITokenCheck: Sendable {
  /// The keys, by their identifiers (`kid`).
  public var keys: [String: ServerAPIVerificationKey]
  /// The apps of the keys' teams.
  public var apps: Set<BundleID>

  public init(keys: [String: ServerAPIVerificationKey], apps: Set<BundleID>) {
    self.keys = keys
    self.apps = apps
  }

  /// The maximum size of a token, in bytes.
  public static let maximumBytes = 4 << 10
  /// A token is refused if its `exp` is this long after its `iat`, or later; without `iat`, if it is this long after now.
  public static let refusedLifetimeSeconds: Int64 = 3_600

  /// A token that was checked.
  public struct Checked: Hashable, Sendable {
    public let keyID: String
    public let issuerID: String
    /// The app that the call is about.
    public let bundleID: BundleID
    public let expirationDate: StoreDate
  }

  /// Checks the value of the header `Authorization`.
  ///
  /// - Parameters:
  ///   - authorization: the value; nil if the header is missing.
  ///   - now: the wall date. A store with its own clock must not use that clock here.
  /// - Throws: ``TokenRefusal`` for the first fault: of the format, the key, the signature, then of the claims.
  public func check(authorization: String?, at now: StoreDate) throws(TokenRefusal) -> Checked {
    guard let authorization, !authorization.isEmpty else { throw .missing }
    let parts = authorization.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { throw .notBearer }
    return try check(parts[1].trimmingCharacters(in: .whitespaces), at: now)
  }

  /// Checks a token in compact serialization.
  public func check(_ token: String, at now: StoreDate) throws(TokenRefusal) -> Checked {
    guard token.utf8.count <= Self.maximumBytes else { throw .tooLarge(bytes: token.utf8.count) }
    let jws: UnverifiedJWS
    do throws(VerificationFailure) {
      jws = try UnverifiedJWS(token)
    } catch {
      throw .unreadable(error.detail)
    }
    // `typ` is not checked: clients omit it, or write other values.
    let header = jws.contents.header
    guard header.algorithm == "ES256" else { throw .algorithm(header.algorithm) }
    guard let keyID = header.keyID, !keyID.isEmpty else { throw .noKeyID }
    guard let key = keys[keyID] else { throw .unknownKey(keyID, known: keys.keys.sorted()) }
    let signed = Data(token.utf8.prefix(upTo: token.utf8.lastIndex(of: UInt8(ascii: ".")) ?? token.utf8.endIndex))
    guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: jws.signature),
      key.publicKey.isValidSignature(signature, for: signed)
    else { throw .signature(keyID: keyID) }
    let claims: TokenClaims
    do {
      try JSONCheck.check(Data(jws.contents.payload))
      claims = try BoundedJSON.decode(TokenClaims.self, from: Data(jws.contents.payload))
    } catch {
      throw .unreadable("its claims cannot be read: \(error)")
    }
    return try check(claims, of: keyID, key, at: now)
  }

  private func check(
    _ claims: TokenClaims, of keyID: String, _ key: ServerAPIVerificationKey, at now: StoreDate
  ) throws(TokenRefusal) -> Checked {
    guard let issuer = claims.iss else { throw .noClaim("iss") }
    guard issuer == key.issuerID else { throw .issuer(issuer, expected: key.issuerID, keyID: keyID) }
    guard let audience = claims.aud else { throw .noClaim("aud") }
    guard audience.values.contains(TokenClaims.audience) else { throw .audience(audience.values) }
    guard let expires = claims.exp else { throw .noClaim("exp") }
    let expirationDate = Self.date(expires)
    guard now < expirationDate else { throw .expired(at: expirationDate, now: now) }
    for (name, start) in [("iat", claims.iat), ("nbf", claims.nbf)] {
      guard let start else { continue }
      guard Self.date(start) <= now else { throw .notYetValid(claim: name, from: Self.date(start), now: now) }
    }
    let latest = (claims.iat.map(Self.date) ?? now).adding(seconds: Self.refusedLifetimeSeconds)
    guard expirationDate < latest else { throw .lifetime(hasIssueDate: claims.iat != nil) }
    guard let app = claims.bid.map(BundleID.init(rawValue:)) else { throw .noClaim("bid") }
    guard apps.contains(app) else { throw .otherApp(app, known: apps.sorted()) }
    return Checked(keyID: keyID, issuerID: issuer, bundleID: app, expirationDate: expirationDate)
  }

  private static func date(_ seconds: Double) -> StoreDate { StoreDate(Date(timeIntervalSince1970: seconds)) }
}

/// Why a token is refused, for the developer of the backend that sent it.
public enum TokenRefusal: DescribedError, Hashable {
  case missing
  case notBearer
  case tooLarge(bytes: Int)
  case unreadable(String)
  case algorithm(String)
  case noKeyID
  case unknownKey(String, known: [String])
  case signature(keyID: String)
  case noClaim(String)
  case issuer(String, expected: String, keyID: String)
  case audience([String])
  case expired(at: StoreDate, now: StoreDate)
  case notYetValid(claim: String, from: StoreDate, now: StoreDate)
  /// The token can be used for too long.
  case lifetime(hasIssueDate: Bool)
  case otherApp(BundleID, known: [BundleID])

  public var description: String {
    switch self {
    case .missing: "The request has no header Authorization."
    case .notBearer: "The header Authorization does not begin with Bearer, followed by a token."
    case .tooLarge(let bytes): "The token has \(bytes) bytes, more than \(ServerAPITokenCheck.maximumBytes)."
    case .unreadable(let detail): "The token is not a JWT: \(detail.prefix(300))."
    case .algorithm(let name): "The token's alg is \(Self.shown(name)), not ES256."
    case .noKeyID: "The token's header has no kid."
    case .unknownKey(let id, let known):
      "The token's kid is \(Self.shown(id)), which is no key of this store. Its keys are: \(Self.list(known))."
    case .signature(let keyID): "The token's signature is not of the key \(Self.shown(keyID))."
    case .noClaim(let name): "The token has no \(name)."
    case .issuer(let issuer, let expected, let keyID):
      "The token's iss is \(Self.shown(issuer)), but the key \(Self.shown(keyID)) belongs to \(expected)."
    case .audience(let values):
      "The token's aud is \(Self.list(values)), not \(TokenClaims.audience)."
    case .expired(let date, let now): "The token's exp has passed: \(date). It is \(now)."
    case .notYetValid(let claim, let date, let now):
      "The token's \(claim) is in the future: \(date). It is \(now). Compare the clocks, and set iat a minute back."
    case .lifetime(hasIssueDate: true): "The token's exp is 60 minutes or more after its iat."
    case .lifetime(hasIssueDate: false): "The token has no iat, and its exp is 60 minutes or more after now."
    case .otherApp(let app, let known):
      "The token's bid is another app's: \(Self.shown(app.rawValue)). The apps are: \(Self.list(known.map(\.rawValue)))."
    }
  }

  private static func shown(_ text: String) -> String { ServerAPIRequest.shown(text) }

  private static func list(_ texts: [String]) -> String {
    texts.isEmpty ? "none" : texts.prefix(10).map(shown).joined(separator: ", ")
  }
}
