import Foundation
import JWTKit
import StoreModel

/// Believes the tokens of the operator's own identity system (JWT, RFC 7519).
///
/// A token must be signed by one of the configured keys with the algorithm that the key is for, name the configured issuer
/// and audience, not have expired by wall time, and name a subject.
public struct CustomerIdentity: Sendable {
  private let keys: JWTKeyCollection
  private let issuer: String
  private let audience: String
  private let clock: any WallClock

  /// - Parameters:
  ///   - keySet: a JSON Web Key Set (RFC 7517) of public keys.
  ///   - issuer: what `iss` must be.
  ///   - audience: what `aud` must contain.
  ///   - clock: wall time.
  /// - Throws: ``CustomerIdentityError/unusableKeys(_:)``.
  public init(
    keySet: Data, issuer: String, audience: String, clock: any WallClock = SystemClock()
  ) async throws(CustomerIdentityError) {
    self.issuer = issuer
    self.audience = audience
    self.clock = clock
    do {
      let set = try JSONDecoder().decode(JWKS.self, from: keySet)
      guard !set.keys.isEmpty else { throw CustomerIdentityError.unusableKeys("there is no key in it") }
      keys = JWTKeyCollection()
      // Symmetric keys are of a type that this does not read at all.
      for key in set.keys {
        guard key.privateExponent == nil else {
          throw CustomerIdentityError.unusableKeys("it has a private key; give public keys, which cannot sign")
        }
        try await keys.add(jwk: key)
      }
    } catch let error as CustomerIdentityError {
      throw error
    } catch {
      throw .unusableKeys("it is no JSON Web Key Set: \(error)")
    }
  }

  /// Whom a token names: issuer and subject.
  ///
  /// - Throws: ``CustomerIdentityError/refused(_:)``.
  public func subject(of token: String) async throws(CustomerIdentityError) -> String {
    let claims: Claims
    do {
      claims = try await keys.verify(token, as: Claims.self)
    } catch {
      throw .refused("its signature is not of a key that is known here")
    }
    let now = clock.now.date
    // A minute, because clocks differ.
    guard claims.exp.value.addingTimeInterval(60) > now else { throw .refused("it has expired") }
    if let notBefore = claims.nbf?.value, notBefore.addingTimeInterval(-60) > now {
      throw .refused("it is not valid yet")
    }
    guard claims.iss.value == issuer else { throw .refused("it is from another issuer") }
    guard claims.aud.value.contains(audience) else { throw .refused("it is for another audience") }
    guard !claims.sub.value.isEmpty else { throw .refused("it names nobody") }
    return "\(issuer) \(claims.sub.value)"
  }

  private struct Claims: JWTPayload {
    let iss: IssuerClaim
    let sub: SubjectClaim
    let aud: AudienceClaim
    let exp: ExpirationClaim
    let nbf: NotBeforeClaim?

    /// Dates are checked against the injected clock.
    func verify(using algorithm: some JWTAlgorithm) {}
  }
}

/// Why a token, or the keys to check it with, are of no use.
public enum CustomerIdentityError: Error, Hashable, Sendable, CustomStringConvertible {
  case unusableKeys(String)
  case refused(String)

  public var description: String {
    switch self {
    case .unusableKeys(let reason): "The key set cannot be used: \(reason)."
    case .refused(let reason): "The token is refused: \(reason)."
    }
  }
}
