import Crypto
import StoreModel

extension SignedDataVerifier {
  /// Verifies a signed transaction (JWS, RFC 7515; "JWSTransactionDecodedPayload").
  ///
  /// `alg` must be ES256. `x5c` must contain leaf, intermediate and root, all valid at the transaction's `signedDate`.
  /// If the trust anchors contain the root certificate, the third certificate is ignored. A single certificate is
  /// accepted only if it is itself trusted.
  ///
  /// - Parameters:
  ///   - jws: the compact serialization, at most 4 MiB.
  ///   - expectation: the required app, environment and device. A device is checked by `deviceVerification`, which only
  ///     transactions delivered to a device contain.
  /// - Throws: ``VerificationFailure`` with the first fault.
  nonisolated(nonsending)
    public func verifyTransaction(
      _ jws: String, expecting expectation: Expectation = Expectation()
    ) async throws(VerificationFailure) -> Verified<SignedTransaction>
  {
    let opened = try await open(jws) { (payload) throws(VerificationFailure) in
      let transaction = try SignedTransaction(payload: payload)
      return (transaction, transaction.signedDate)
    }
    let transaction = opened.value
    try opened.chain.checkEnvironment(transaction.environment)
    try expectation.check(
      bundleID: transaction.bundleID, environment: transaction.environment, rawEnvironment: transaction.rawEnvironment,
      isIssued: transaction.isIssued(for:))
    return Verified(value: transaction, chain: opened.chain, checkedDate: opened.date)
  }

  /// Verifies signed renewal information ("JWSRenewalInfoDecodedPayload"), by the rules of
  /// ``verifyTransaction(_:expecting:)``. It names no app, so only the environment and the device are checked.
  ///
  /// - Throws: ``VerificationFailure`` with the first fault.
  nonisolated(nonsending)
    public func verifyRenewalInfo(
      _ jws: String, expecting expectation: Expectation = Expectation()
    ) async throws(VerificationFailure) -> Verified<SignedRenewalInfo>
  {
    let verified = try await verify(jws) { (payload) throws(VerificationFailure) in
      let info = try SignedRenewalInfo(payload: payload)
      return ReadPayload(value: info, date: info.signedDate, environment: info.environment)
    }
    try Expectation(environments: expectation.environments, device: expectation.device).check(
      bundleID: nil, environment: verified.value.environment, rawEnvironment: verified.value.rawEnvironment,
      isIssued: verified.value.isIssued(for:))
    return verified
  }

  /// Verifies a signed app transaction ("JWSAppTransactionDecodedPayload"), by the rules of
  /// ``verifyTransaction(_:expecting:)``. Its date is `receiptCreationDate`.
  ///
  /// - Throws: ``VerificationFailure`` with the first fault.
  nonisolated(nonsending)
    public func verifyAppTransaction(
      _ jws: String, expecting expectation: Expectation = Expectation()
    ) async throws(VerificationFailure) -> Verified<SignedAppTransaction>
  {
    let verified = try await verify(jws) { (payload) throws(VerificationFailure) in
      let transaction = try SignedAppTransaction(payload: payload)
      return ReadPayload(
        value: transaction, date: transaction.receiptCreationDate, environment: transaction.environment)
    }
    let transaction = verified.value
    try expectation.check(
      bundleID: transaction.bundleID, environment: transaction.environment, rawEnvironment: transaction.rawEnvironment,
      isIssued: transaction.isIssued(for:))
    return verified
  }

  /// A payload that was read, and what its verification needs of it.
  package struct ReadPayload<Value: Sendable> {
    let value: Value
    let date: StoreDate
    let environment: StoreEnvironment?

    /// - Parameters:
    ///   - date: the date at which the certificates must be valid.
    ///   - environment: decides whether the chain may be one of Xcode; nil if it is unknown.
    package init(value: Value, date: StoreDate, environment: StoreEnvironment?) {
      self.value = value
      self.date = date
      self.environment = environment
    }
  }

  /// Verifies a JWS whose payload `read` decodes. The caller checks bundle id and environment.
  nonisolated(nonsending)
    package func verify<Value: Sendable>(
      _ jws: String, reading read: ([UInt8]) throws(VerificationFailure) -> ReadPayload<Value>
    ) async throws(VerificationFailure) -> Verified<Value>
  {
    let opened = try await open(jws) { (payload) throws(VerificationFailure) in
      let content = try read(payload)
      return (content, content.date)
    }
    try opened.chain.checkEnvironment(opened.value.environment)
    return Verified(value: opened.value.value, chain: opened.chain, checkedDate: opened.date)
  }

  /// Verifies any JWS of the App Store: renewal information, notifications, app transactions, realtime requests.
  ///
  /// The rules are those of ``verifyTransaction(_:expecting:)``, except that the payload is not checked. The caller
  /// must check bundle id and environment, and verify nested signed data.
  ///
  /// - Parameters:
  ///   - jws: the compact serialization, at most 4 MiB.
  ///   - date: the date at which the certificates must be valid; nil for the payload's `signedDate`, or
  ///     `receiptCreationDate`.
  /// - Throws: ``VerificationFailure`` with the first fault; `structure` if `date` is nil and the payload has no date.
  nonisolated(nonsending)
    public func verifyPayload(
      _ jws: String, at date: StoreDate? = nil
    ) async throws(VerificationFailure) -> Verified<JWSContents>
  {
    let opened = try await open(jws) { (payload) throws(VerificationFailure) in
      let statement = try PayloadMetadata.read(payload)
      guard let checked = date ?? statement.date else {
        throw .structure("the payload says neither signedDate nor receiptCreationDate; say which date to check at")
      }
      return ((payload, statement.environment), checked)
    }
    try opened.chain.checkEnvironment(opened.value.1)
    guard let header = opened.chain.header else { throw .structure("the JWS carries no certificates") }
    return Verified(
      value: JWSContents(header: header, payload: opened.value.0), chain: opened.chain,
      checkedDate: opened.date)
  }

  /// A JWS with a valid signature and a chain that is valid at `date`.
  struct OpenedJWS<Value> {
    let value: Value
    let chain: VerifiedChain
    let date: StoreDate
  }

  private enum Opening<Value> {
    case opened(OpenedJWS<Value>)
    /// The chain is not cached, or not valid at this date.
    case unknownChain(headerSegment: [UInt8], JWSHeader, StoreDate)
  }

  nonisolated(nonsending)
    private func open<Value>(
      _ jws: String, _ read: ([UInt8]) throws(VerificationFailure) -> (Value, StoreDate)
    ) async throws(VerificationFailure) -> OpenedJWS<Value>
  {
    switch try attempt(jws, established: nil, read) {
    case .opened(let opened): return opened
    case .unknownChain(let headerSegment, let header, let date):
      let chain = try await establish(header, at: date)
      guard case .opened(let opened) = try attempt(jws, established: chain, read) else {
        throw VerificationFailure(fault: .date, detail: "its certificates are not valid at \(date)")
      }
      // The chain is cached only after the signature was checked. Otherwise an attacker could fill the cache with
      // copies of a genuine chain, each in a different header.
      chains.insert(chain, for: headerSegment)
      return opened
    }
  }

  /// Verifies the JWS with `established`, or with a cached chain if `established` is nil. Usually the chain is cached,
  /// so the verification does not suspend.
  private func attempt<Value>(
    _ jws: String, established: VerifiedChain?, _ read: ([UInt8]) throws(VerificationFailure) -> (Value, StoreDate)
  ) throws(VerificationFailure) -> Opening<Value> {
    try jws.withBuffer { (text) throws(VerificationFailure) in
      let parts = try CompactJWS(text)
      let chain = established ?? chains.chain(for: parts.header)
      let header = chain == nil ? try parts.decodedHeader().demandingES256() : nil
      let signature = try parts.decodedSignature()
      let (value, date) = try read(try parts.decodedPayload())
      guard let chain, chain.validity.contains(date) else {
        // A cached chain that is not valid at this date is verified again, because the same certificates may form
        // another chain that is valid.
        let known = header ?? chain?.header
        guard let known else { throw .structure("the JWS carries no certificates") }
        return .unknownChain(headerSegment: Array(parts.header), known, date)
      }
      guard case .p256(let key) = chain.leafKey,
        let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
        key.isValidSignature(signature, for: SHA256.hash(data: parts.signingInput))
      else {
        throw VerificationFailure(
          fault: .signature, detail: "the signature does not fit: the JWS was altered after it was signed")
      }
      return .opened(OpenedJWS(value: value, chain: chain, date: date))
    }
  }

  private func establish(
    _ header: JWSHeader, at date: StoreDate
  ) async throws(VerificationFailure) -> VerifiedChain {
    var outlines: [CertificateOutline] = []
    for (place, der) in header.certificates.prefix(2).enumerated() {
      do throws(TLVFault) {
        outlines.append(try CertificateOutline(der))
      } catch {
        throw .structure("certificate \(place + 1) of the JWS cannot be read: \(error)")
      }
    }
    var chain: VerifiedChain
    if header.certificates.count == 1 {
      chain = try chainVerifier.verifySelfSigned(outlines[0], at: date)
    } else {
      chain = try await chainVerifier.verify(
        leaf: outlines[0], intermediates: [outlines[1]], carried: [header.certificates[2]], at: date)
    }
    guard case .p256 = chain.leafKey else {
      throw VerificationFailure(fault: .chain, detail: "the signer's key is not P-256, as ES256 demands")
    }
    chain.header = header
    return chain
  }
}

extension JWSHeader {
  /// Returns the header. Throws unless the algorithm is ES256 and there are one or three certificates.
  fileprivate func demandingES256() throws(VerificationFailure) -> JWSHeader {
    guard algorithm == "ES256" else {
      throw .structure("the JWS is signed with \(algorithm.prefix(40)); only ES256 is accepted")
    }
    guard certificates.count == 3 || certificates.count == 1 else {
      throw .structure("the JWS carries \(certificates.count) certificates (x5c); three are expected")
    }
    return self
  }
}
