import SignedData
import StoreModel

extension ClaimDecision.DeviceProof {
  /// The time of the server's clock after which a store's clock that still shows the second of the registration is considered to
  /// stand still.
  static let standingAfterSeconds: Int64 = 2
  /// The time of the server's clock after which a proof of the second of the registration counts as older. So a client that
  /// never refreshes its receipt gets an answer, too.
  static let olderAfterSeconds: Int64 = 60

  /// Compares a proof with the registration of the claimant's installation. Both dates are by the store's clock.
  ///
  /// Receipts have whole seconds, signed transactions have milliseconds. If the store's clock stands still, as an emulator's can,
  /// all its proofs have the same date. They then count as newer, so that an installation can be joined. All proofs count as newer,
  /// too, while the store's clock has not reached the date of the registration: while an emulator does not answer, the server
  /// estimates its date. With Apple's store, both clocks are the server's, so neither case occurs.
  ///
  /// - Parameters:
  ///   - storeNow: the date of the store's clock.
  ///   - now: the date of the server's clock.
  init(_ proof: VerifiedProof, of claimant: Claimant, storeNow: StoreDate, now: StoreDate) {
    // A legacy receipt contains its device identifier in plain text, so it does not prove the device.
    guard proof.proof.kind != .legacyReceipt, claimant.device.map(proof.isIssued) ?? false else {
      self = .none
      return
    }
    guard let registered = claimant.registered, let issued = proof.issuedDate else {
      self = .issuedBefore
      return
    }
    func unit(_ date: StoreDate) -> StoreDate { proof.proof.kind == .appReceipt ? date.wholeSeconds : date }
    let waited = now.millisecondsSince1970 - (claimant.issued ?? registered).millisecondsSince1970
    let standing = Self.standingAfterSeconds * 1000
    if unit(issued) > unit(registered) {
      self = .issuedAfterRegistration
    } else if storeNow.wholeSeconds < registered.wholeSeconds, waited >= standing {
      // The registration's date was estimated, or is of an earlier epoch of the store.
      self = .issuedAfterRegistration
    } else if unit(issued) < unit(registered) {
      self = .issuedBefore
    } else if storeNow.wholeSeconds <= registered.wholeSeconds, waited >= standing {
      self = .issuedAfterRegistration
    } else if waited >= Self.olderAfterSeconds * 1000 {
      self = .issuedBefore
    } else {
      let remaining = (standing - min(max(waited, 0), standing) + 999) / 1000
      self = .issuedInSameSecond(retryAfterSeconds: Int(max(remaining, 1)))
    }
  }
}
