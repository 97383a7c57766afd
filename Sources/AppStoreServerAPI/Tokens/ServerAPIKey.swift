import Crypto
import Foundation
import SignedData
import StoreModel

/// An In-App Purchase key of App Store Connect, which signs the tokens of the App Store Server API.
///
/// Descriptions, dumps and mirrors do not reveal the private key.
public struct ServerAPIKey: Sendable {
  /// The key's identifier, `kid` in a token.
  public let keyID: String
  /// The identifier of the developer's team, `iss` in a token.
  public let issuerID: String
  private let privateKey: P256.Signing.PrivateKey

  public init(keyID: String, issuerID: String, privateKey: P256.Signing.PrivateKey) {
    self.keyID = keyID
    self.issuerID = issuerID
    self.privateKey = privateKey
  }

  /// - Parameter pem: the content of the downloaded file: a P-256 key, PKCS#8 in PEM.
  /// - Throws: ``ServerAPIKeyError``.
  public init(keyID: String, issuerID: String, pem: String) throws(ServerAPIKeyError) {
    do {
      self.init(keyID: keyID, issuerID: issuerID, privateKey: try P256.Signing.PrivateKey(pemRepresentation: pem))
    } catch {
      throw .unreadable(keyID: keyID)
    }
  }

  /// What a store needs to check the tokens of this key.
  public var verificationKey: ServerAPIVerificationKey {
    ServerAPIVerificationKey(issuerID: issuerID, publicKey: privateKey.publicKey)
  }

  /// Makes a token (RFC 7519) for the calls of one app.
  ///
  /// Its `iat` is ``secondsBack`` before `date`, because the clocks of client and store differ.
  ///
  /// - Parameters:
  ///   - bundleID: the app.
  ///   - date: the date of this machine.
  ///   - lifetimeSeconds: how long after `date` the token can be used, 1 to ``longestLifetimeSeconds``. Other values are
  ///     clamped.
  public func token(
    for bundleID: BundleID, at date: StoreDate, lifetimeSeconds: Int64 = 1_200
  ) throws -> ServerAPIToken {
    let seconds = date.wholeSeconds.millisecondsSince1970 / 1_000
    let end = seconds + min(max(lifetimeSeconds, 1), Self.longestLifetimeSeconds)
    let claims = TokenClaims(
      iss: issuerID, iat: Double(seconds - Self.secondsBack), exp: Double(end), aud: .init([TokenClaims.audience]),
      bid: bundleID.rawValue)
    let encoder = ServerAPI.encoder()
    var text = Base64.text(try encoder.encode(TokenHeader(alg: "ES256", kid: keyID, typ: "JWT")), .url)
    text += "." + Base64.text(try encoder.encode(claims), .url)
    let signature = try privateKey.signature(for: Data(text.utf8))
    text += "." + Base64.text(signature.rawRepresentation, .url)
    return ServerAPIToken(
      text: text, startDate: date, expirationDate: StoreDate(millisecondsSince1970: end * 1_000))
  }

  /// The number of seconds by which `iat` is before the date of the token.
  public static let secondsBack: Int64 = 60
  /// The maximum lifetime. The App Store refuses tokens whose `exp` is 60 minutes after their `iat`.
  public static let longestLifetimeSeconds: Int64 = 58 * 60
}

extension ServerAPIKey: Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public static func == (one: ServerAPIKey, other: ServerAPIKey) -> Bool {
    one.keyID == other.keyID && one.issuerID == other.issuerID
      && one.privateKey.rawRepresentation == other.privateKey.rawRepresentation
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(keyID)
    hasher.combine(issuerID)
  }

  public var description: String { "(key \(keyID))" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A token, and when it can be used.
public struct ServerAPIToken: Hashable, Sendable {
  /// The compact serialization, for the header `Authorization: Bearer …`.
  public let text: String
  /// The date when it was made.
  public let startDate: StoreDate
  public let expirationDate: StoreDate
}

/// Thrown when a private key cannot be used.
public enum ServerAPIKeyError: DescribedError, Hashable {
  case unreadable(keyID: String)

  public var description: String {
    switch self {
    case .unreadable(let keyID):
      "The private key \(keyID) is not a P-256 key in PEM (PKCS#8). Use the .p8 file of App Store Connect, unchanged."
    }
  }
}

/// The public part of a key, and the team that it belongs to.
public struct ServerAPIVerificationKey: Sendable {
  public let issuerID: String
  public let publicKey: P256.Signing.PublicKey

  public init(issuerID: String, publicKey: P256.Signing.PublicKey) {
    self.issuerID = issuerID
    self.publicKey = publicKey
  }
}

/// The header of a token.
struct TokenHeader: Codable {
  let alg: String
  let kid: String
  let typ: String
}

/// The claims of a token. Dates are in UNIX seconds.
struct TokenClaims: Codable {
  static let audience = "appstoreconnect-v1"

  var iss: String?
  var iat: Double?
  var exp: Double?
  var nbf: Double?
  var aud: Audience?
  var bid: String?

  /// One audience, or several (RFC 7519, section 4.1.3).
  struct Audience: Codable {
    let values: [String]

    init(_ values: [String]) { self.values = values }

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let value = try? container.decode(String.self) {
        values = [value]
      } else {
        values = try container.decode([String].self)
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      if values.count == 1 { try container.encode(values[0]) } else { try container.encode(values) }
    }
  }
}
