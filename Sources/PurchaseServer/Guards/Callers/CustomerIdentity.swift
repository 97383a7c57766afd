import Foundation
import JWTKit
import SignedData
import StoreModel

/// Verifies the tokens of the operator's own identity system (JWT, RFC 7519).
///
/// A token must be signed by a configured key with that key's algorithm. It must have the configured issuer and audience, an
/// expiration date in the future, and a subject.
public struct CustomerIdentity: Sendable {
  private let keys: JWTKeyCollection
  /// The permitted algorithms, by key id.
  private let algorithms: [String?: Set<String>]
  /// The `iss` of all tokens.
  let issuer: String
  private let audience: String
  private let clock: any MachineClock

  /// - Parameters:
  ///   - keySet: a JSON Web Key Set (RFC 7517) of public keys.
  ///   - issuer: the required `iss`. It must not contain spaces and invisible characters. A customer's name is the issuer, a space and the
  ///     subject. If issuers contained spaces, customers of two issuers could have the same name.
  ///   - audience: a required entry of `aud`.
  ///   - clock: the wall clock.
  /// - Throws: ``CustomerIdentityError/unusableKeys(_:)``, ``CustomerIdentityError/unusableIssuer``.
  public init(
    keySet: Data, issuer: String, audience: String, clock: any MachineClock = SystemClock()
  ) async throws(CustomerIdentityError) {
    guard Self.isUsable(issuer: issuer) else { throw .unusableIssuer }
    self.issuer = issuer
    self.audience = audience
    self.clock = clock
    do {
      let set = try BoundedJSON.decode(JWKS.self, from: keySet, within: .file)
      guard !set.keys.isEmpty else { throw CustomerIdentityError.unusableKeys("there is no key in it") }
      keys = JWTKeyCollection()
      // Symmetric keys cannot occur: JWTKit's key type does not decode them.
      var algorithms: [String?: Set<String>] = [:]
      for key in set.keys where key.algorithm != .rsaOAEP {
        guard key.privateExponent == nil else {
          throw CustomerIdentityError.unusableKeys("it has a private key; give public keys, which cannot sign")
        }
        let key = try Self.withAlgorithm(key)
        try await keys.add(jwk: key)
        if let algorithm = key.algorithm {
          algorithms[key.keyIdentifier?.string, default: []].insert(algorithm.rawValue)
        }
      }
      self.algorithms = algorithms
    } catch let error as CustomerIdentityError {
      throw error
    } catch {
      throw .unusableKeys("it is no JSON Web Key Set: \(error)")
    }
  }

  /// Whether a text can be an issuer: it is not empty, and has no spaces and invisible characters.
  static func isUsable(issuer: String) -> Bool {
    !issuer.isEmpty && issuer.unicodeScalars.allSatisfy { $0.isPlainlyVisible && $0 != " " }
  }

  /// Returns the key with its algorithm. If the key has no `alg`, the algorithm is derived from the key's type. Without
  /// an algorithm, JWTKit would always use the one in the header of the first token for this key.
  private static func withAlgorithm(_ key: JWK) throws(CustomerIdentityError) -> JWK {
    guard key.algorithm == nil else { return key }
    var key = key
    switch (key.keyType, key.curve?.rawValue) {
    case (.rsa, _): key.algorithm = .rs256
    case (.ecdsa, "P-256"?): key.algorithm = .es256
    case (.ecdsa, "P-384"?): key.algorithm = .es384
    case (.ecdsa, "P-521"?): key.algorithm = .es512
    case (.octetKeyPair, _): key.algorithm = .eddsa
    default: throw .unusableKeys("a key in it is of no kind that signs tokens")
    }
    return key
  }

  /// Returns a token's issuer and subject, separated by a space.
  ///
  /// - Throws: ``CustomerIdentityError/refused(_:)``.
  public func subject(of token: String) async throws(CustomerIdentityError) -> String {
    guard BoundedToken.admits(token) else { throw .refused("it is not a JSON Web Token") }
    try check(header: token)
    let claims: Claims
    do {
      claims = try await keys.verify(token, as: Claims.self)
    } catch {
      throw .refused("its signature is not of a key that is known here")
    }
    let now = Double(clock.now.millisecondsSince1970) / 1000
    // A tolerance of one minute, because clocks differ.
    guard claims.exp + 60 > now else { throw .refused("it has expired") }
    if let notBefore = claims.nbf, notBefore - 60 > now { throw .refused("it is not valid yet") }
    guard claims.iss == issuer else { throw .refused("it is from another issuer") }
    guard claims.aud.names.contains(audience) else { throw .refused("it is for another audience") }
    guard !claims.sub.isEmpty else { throw .refused("it names no customer") }
    return name(of: claims.sub)
  }

  /// Returns the name that the ledger stores for a subject: the issuer and the subject, separated by a space.
  func name(of subject: String) -> String { "\(issuer) \(subject)" }

  /// Whether a text has the format of ``name(of:)``.
  func isName(_ text: String) -> Bool { text.hasPrefix("\(issuer) ") }

  /// Refuses a token if its header has critical extensions, the id of an unknown key, or an algorithm that is not the
  /// key's. JWTKit would accept such a header. For the id of an unknown key, JWTKit would use the first key.
  private func check(header token: String) throws(CustomerIdentityError) {
    guard let segment = token.split(separator: ".", omittingEmptySubsequences: false).first,
      let bytes = Array(segment.utf8).withUnsafeBufferPointer({ Base64.decode($0, .url) }),
      let header = try? BoundedJSON.decode(Header.self, from: Data(bytes))
    else { throw .refused("its header cannot be read") }
    // RFC 7515, section 4.1.11: unknown critical extensions must be refused, and none is supported.
    guard !header.hasCritical else { throw .refused("its header has crit, and no extension is understood here") }
    let allowed: Set<String>
    if let id = header.keyID {
      guard let ofKey = algorithms[id] else { throw .refused("its key is not in the key set") }
      allowed = ofKey
    } else {
      allowed = algorithms.values.reduce(into: []) { $0.formUnion($1) }
    }
    guard let algorithm = header.algorithm, allowed.contains(algorithm) else {
      throw .refused("its alg is not that of its key")
    }
  }

  /// The parts of a token's header that are checked before its signature (RFC 7515, section 4).
  private struct Header: Decodable {
    enum Key: String, CodingKey {
      case alg, crit, kid
    }

    let hasCritical: Bool
    let keyID: String?
    let algorithm: String?

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      algorithm = try container.decodeIfPresent(String.self, forKey: .alg)
      hasCritical = container.contains(.crit)
      // A `kid` that is null is refused, because it is not text.
      keyID = container.contains(.kid) ? try container.decode(String.self, forKey: .kid) : nil
    }
  }

  /// The claims that are checked (RFC 7519, section 4.1). JWTKit's own type for `aud` is not used, because it ends the process if
  /// the list is empty.
  private struct Claims: JWTPayload {
    let iss: String
    let sub: String
    let aud: Audience
    /// The expiration date in UNIX seconds. `nbf` has the same format.
    let exp: Double
    let nbf: Double?

    /// Does nothing. Dates are checked later, with the injected clock.
    func verify(using algorithm: some JWTAlgorithm) {}
  }

  /// The claim `aud`: one name or a list of names.
  private struct Audience: Codable, Sendable {
    let names: [String]

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let name = try? container.decode(String.self) {
        names = [name]
      } else {
        names = try container.decode([String].self)
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(names)
    }
  }
}

/// Checks that a token can be decoded in linear time, and has no member twice. This check runs before the token's signature is verified.
enum BoundedToken {
  /// Whether header and claims are JSON within the limits.
  static func admits(_ token: String) -> Bool {
    let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 else { return false }
    return parts.prefix(2).allSatisfy { part in
      guard let json = decoded(part) else { return false }
      return (try? BoundedJSON.check(json)) != nil && JSONCheck.repeatedName(in: json) == nil
    }
  }

  /// Decodes base64url without padding (RFC 7515, section 2).
  private static func decoded(_ part: Substring.UTF8View) -> Data? {
    var text = part.map { byte in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    text.append(contentsOf: Array(repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4))
    return Data(base64Encoded: Data(text))
  }
}

/// Thrown when a token, or the keys to verify tokens, cannot be used.
public enum CustomerIdentityError: DescribedError, Hashable, Sendable {
  case unusableKeys(String)
  case unusableIssuer
  case refused(String)

  public var description: String {
    switch self {
    case .unusableKeys(let reason): "The key set cannot be used: \(reason)."
    case .unusableIssuer:
      "The issuer cannot be used: it is a name or an address without spaces and invisible characters."
    case .refused(let reason): "The token is refused: \(reason)."
    }
  }
}
