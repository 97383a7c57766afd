import StoreModel

/// Caches the keys and certificates of an authority, so that each key file is read only once.
final class IdentityCache: Sendable {
  private struct State: Sendable {
    var identities: [String: Identity] = [:]
    var keys: [String: IssuingKey] = [:]
    var signers: [Signer.Key: Signer] = [:]
    var reissued: [Reissue: Identity] = [:]
  }

  private struct Reissue: Hashable {
    let name: String
    let profile: CertificateProfile
    /// The issuer's name, in DER.
    let issuer: [UInt8]
  }

  private let store: any KeyStore
  private let state = LockedValue(State())

  init(store: any KeyStore) { self.store = store }

  /// Returns the identity stored under `name`. If it does not exist, it is made with `profile`.
  ///
  /// The lock is not held while an identity is made. If two threads make the same identity at the same time, the store
  /// decides which of the two is used.
  func identity(
    _ name: String, _ kind: IssuingKey.Kind, issuer: @autoclosure () throws(IssuingError) -> Identity?,
    profile: () -> CertificateProfile
  ) throws(IssuingError) -> Identity {
    if let identity = state.withLock({ $0.identities[name] }) { return identity }
    let issuer = try issuer()
    let text = try text(named: name) {
      let key = try IssuingKey.generate(kind)
      return try Identity(key: key, certificate: try profile().certificate(for: key, issuer: issuer)).pem
    }
    let identity: Identity
    do {
      identity = try Identity(pem: text, kind: kind)
    } catch {
      throw .damagedKeyFile(path: store.location(of: name), reason: "\(error)")
    }
    if let issuer {
      guard issuer.certificate.publicKey.isValidSignature(identity.certificate.signature, for: identity.certificate)
      else { throw .damagedKeyFile(path: store.location(of: name), reason: "another authority issued it") }
    }
    return state.withLock { state in
      if let first = state.identities[name] { return first }
      state.identities[name] = identity
      return identity
    }
  }

  /// Returns `key` with a certificate of `profile`, which is not stored.
  ///
  /// - Parameter name: identifies the key.
  func certified(
    _ key: IssuingKey, named name: String, by issuer: Identity, _ profile: CertificateProfile
  ) throws(IssuingError) -> Identity {
    let reissue = Reissue(name: name, profile: profile, issuer: Array(issuer.der[issuer.outline.subject]))
    if let identity = state.withLock({ $0.reissued[reissue] }) { return identity }
    let identity: Identity
    do {
      identity = try Identity(key: key, certificate: try profile.certificate(for: key, issuer: issuer))
    } catch {
      throw .signing(reason: "\(error)")
    }
    return state.withLock { state in
      if let first = state.reissued[reissue] { return first }
      state.reissued[reissue] = identity
      return identity
    }
  }

  /// Whether an identity is stored under `name`.
  func holds(_ name: String) -> Bool {
    state.withLock { $0.identities[name] != nil } || store.holds(name)
  }

  /// Returns a key that is kept in memory only. It is made at its first use.
  func unstoredKey(_ name: String, _ kind: IssuingKey.Kind) throws(IssuingError) -> IssuingKey {
    if let key = state.withLock({ $0.keys[name] }) { return key }
    let key: IssuingKey
    do { key = try IssuingKey.generate(kind) } catch { throw .signing(reason: "\(error)") }
    return state.withLock { state in
      if let first = state.keys[name] { return first }
      state.keys[name] = key
      return key
    }
  }

  /// Returns the key, without a certificate, that is stored under `name`. If it does not exist, it is made.
  func key(_ name: String, _ kind: IssuingKey.Kind) throws(IssuingError) -> IssuingKey {
    if let key = state.withLock({ $0.keys[name] }) { return key }
    let text = try text(named: name) { try IssuingKey.generate(kind).pem + "\n" }
    let key: IssuingKey
    do {
      key = try IssuingKey(pem: text, kind: kind)
    } catch {
      throw .damagedKeyFile(path: store.location(of: name), reason: "\(error)")
    }
    return state.withLock { state in
      if let first = state.keys[name] { return first }
      state.keys[name] = key
      return key
    }
  }

  func signer(_ key: Signer.Key) -> Signer? { state.withLock { $0.signers[key] } }

  /// Caches a signer, and returns the one that was cached first.
  func add(_ signer: Signer, _ key: Signer.Key) -> Signer {
    state.withLock { state in
      if let first = state.signers[key] { return first }
      state.signers[key] = signer
      return signer
    }
  }

  private func text(named name: String, make: () throws -> String) throws(IssuingError) -> String {
    do {
      return try store.text(named: name, make: make)
    } catch let error as IssuingError {
      throw error
    } catch {
      throw .signing(reason: "\(error)")
    }
  }
}
