import AppStoreServerAPI
import StoreModel

extension ProofVerifier {
  /// Asks the App Store Server API about a proof whose signature this server has verified.
  ///
  /// - Parameters:
  ///   - requested: the ids of requested purchases.
  ///   - unclaimed: finds those that are consumables and that no customer has claimed.
  func verify(
    _ signed: VerifiedProof, _ policy: VerificationPolicy, _ asking: ServerAPIPolicy, requested: Set<TransactionID>,
    _ unclaimed: ConsumableLookup, _ retryPermission: @escaping RetryPermission
  ) async throws(ProofRefusal) -> VerifiedProof {
    var key = ServerAPIRequests.Key(signed.proof, of: policy.bundleID)
    let known = try await serverAPI.answer(
      to: key, in: signed.environment, by: asking, seconds: asking.totalTimeoutSeconds, retryPermission: retryPermission
    ) { try await $0.verify(signed) }
    await key.ask(about: requested, of: known, unclaimed, turn: serverAPI.turn)
    guard key.hasFurtherQuestions else { return known }
    let (missing, unclaimed, turn) = (key.missing, key.unclaimed, key.turn)
    return try await serverAPI.answer(
      to: key, in: signed.environment, by: asking, seconds: asking.answerTimeoutSeconds,
      retryPermission: retryPermission
    ) { [serverAPI] verification in
      if let turn { serverAPI.end(turn) }
      return try await verification.adding(missing, confirming: unclaimed, turn: turn ?? 0, to: known)
    }
  }

  /// Verifies a bare transaction id. This is the only place that decides whether one is accepted.
  ///
  /// If the sender may not redeem the purchase, every refusal is the same. Otherwise it would show whose purchases exist. The id of
  /// a redelivery is accepted from whom the purchase's own id is accepted.
  func verify(
    _ id: TransactionID, _ policy: VerificationPolicy, from sender: ProofSender,
    _ retryPermission: @escaping RetryPermission
  ) async throws(ProofRefusal) -> VerifiedProof {
    guard sender.maySendTransactionIDs, case .serverAPI(let asking) = policy.method else {
      throw .kindNotAccepted(.transactionID)
    }
    let proof: VerifiedProof
    var key = ServerAPIRequests.Key(.transactionID(id), of: policy.bundleID)
    key.isAdministrator = sender == .administrator
    do throws(ProofRefusal) {
      proof = try await serverAPI.answer(
        to: key, in: nil, by: asking, seconds: asking.totalTimeoutSeconds, retryPermission: retryPermission
      ) { verification in
        do {
          return try await verification.verify(id)
        } catch ServerAPIClientError.unauthorizedInProduction where sender != .administrator {
          // The app was perhaps never released. A temporary refusal would show that the sandbox does not know the id.
          throw ServerAPIClientError.refused(ServerAPIError(.transactionIdNotFound))
        }
      }
    } catch {
      // Whether the store can be asked does not depend on the id.
      guard error.isTemporary || sender == .administrator else { throw .kindNotAccepted(.transactionID) }
      throw error
    }
    guard let purchase = ProvenPurchases(proof).purchase(id), sender.mayRedeem(purchase) else {
      throw .kindNotAccepted(.transactionID)
    }
    return proof
  }

  /// Whether the App Store Server API would be asked about a proof now.
  func requiresServerAPI(
    about proof: PurchaseProof, for app: BundleID, from sender: ProofSender, requested: Set<TransactionID>,
    _ unclaimed: ConsumableLookup
  ) async -> Bool {
    if proof.kind == .transactionID, !sender.maySendTransactionIDs { return false }
    var key = ServerAPIRequests.Key(proof, of: app)
    key.isAdministrator = proof.kind == .transactionID && sender == .administrator
    guard let known = serverAPI.recent(key) else { return true }
    await key.ask(about: requested, of: known, unclaimed, turn: serverAPI.turn)
    return key.hasFurtherQuestions && serverAPI.recent(key) == nil
  }
}

extension ServerAPIRequests.Key {
  /// Sets what is asked about requested purchases of an app receipt.
  ///
  /// - Parameters:
  ///   - known: the content of the receipt with the store's answers.
  ///   - turn: the next one.
  fileprivate mutating func ask(
    about requested: Set<TransactionID>, of known: VerifiedProof, _ unclaimed: ProofVerifier.ConsumableLookup,
    turn: Int
  ) async {
    guard known.proof.kind == .appReceipt, !requested.isEmpty else { return }
    missing = requested.subtracting(known.purchases.flatMap { [$0.transactionID, $0.originalTransactionID] }).sorted()
    // As in the redemption, an original transaction id requests the newest purchase that has it.
    let purchases = ProvenPurchases(known)
    let contained = Set(requested.compactMap { purchases.purchase($0)?.transactionID })
    if !contained.isEmpty { self.unclaimed = await unclaimed(contained, known).sorted() }
    self.turn = missing.areTooMany || self.unclaimed.areTooMany ? turn : nil
  }

  fileprivate var hasFurtherQuestions: Bool { !missing.isEmpty || !unclaimed.isEmpty }
}
