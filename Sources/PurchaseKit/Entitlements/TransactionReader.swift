import Foundation
import SignedData
import StoreModel

/// Reads the signed transactions of StoreKit 2 and the renewal information of their subscriptions. Accepts only those that the
/// store signed for this app and this device: each is verified again.
///
/// StoreKit asks the store for changes first. If the store does not answer, the stored transactions are used.
public struct TransactionReader: EntitlementSource {
  /// What StoreKit 2 has stored, as compact JWS.
  struct Stored: Sendable {
    struct Transaction: Sendable {
      let identifier: String
      let originalIdentifier: String
      let jws: String
    }

    /// Newest first.
    let transactions: [Transaction]
    /// The renewal information of each subscription.
    let renewals: [String]
  }

  private let stored: @Sendable () async -> Stored
  private let anchors: @Sendable () -> TrustAnchors?
  private let expectation: Expectation
  private let runs = SharedRuns<Result<ProvenEntitlements, ReceiptError>>()
  private let known = LockedValue(VerifiedRecords())

  init(
    stored: @escaping @Sendable () async -> Stored, anchors: @escaping @Sendable () -> TrustAnchors?,
    bundleID: BundleID, device: DeviceIdentifier, environments: Set<StoreEnvironment>
  ) {
    self.stored = stored
    self.anchors = anchors
    expectation = Expectation(bundleID: bundleID, environments: environments, device: device)
  }

  /// Returns the entitlements that the transactions prove, with the grace periods of subscriptions.
  ///
  /// - Throws: ``ReceiptError/missing`` if there is no transaction: then it is not known whether the customer has bought
  ///   nothing, or has not signed in. ``ReceiptError/refused(_:)`` if one of them is not genuine, because the others would be
  ///   incomplete.
  public func entitlements() async throws(ReceiptError) -> ProvenEntitlements {
    try await runs.value(of: { await read() }).get()
  }

  public func entitlements(including purchase: PaidPurchase) async throws(ReceiptError) -> ProvenEntitlements {
    if let jws = purchase.signedTransaction, let anchors = anchors(),
      let proven = known.withLock({ $0.proven(including: jws, anchors: anchors) })
    {
      return proven
    }
    return try await entitlements()
  }

  private func read() async -> Result<ProvenEntitlements, ReceiptError> {
    // Without a trusted root, no transaction can be valid.
    guard let anchors = anchors() else { return .failure(.missing) }
    let stored = await stored()
    guard !stored.transactions.isEmpty else { return .failure(.missing) }
    let verifier = SignedDataVerifier(anchors: anchors)
    let known = known.value
    var records = VerifiedRecords(anchors: anchors)
    do {
      for transaction in stored.transactions {
        if let value = known.transaction(transaction.jws, anchors: anchors) {
          records.add(value, transaction.jws)
        } else {
          let verified = try await verifier.verifyTransaction(transaction.jws, expecting: expectation)
          records.add(verified.value, transaction.jws)
        }
      }
      for jws in stored.renewals {
        if let value = known.renewal(jws, anchors: anchors) {
          records.add(value, jws)
        } else {
          records.add(try await verifier.verifyRenewalInfo(jws, expecting: expectation).value, jws)
        }
      }
    } catch {
      return .failure(.refused(error))
    }
    let proven = records.prove()
    self.known.value = records
    return .success(proven)
  }

  /// Returns the newest signed transaction of a purchase as a proof, unverified: the server verifies it.
  ///
  /// - Throws: ``ReceiptError/notListed(productIdentifier:)`` if StoreKit does not have the purchase.
  public func proof(of purchase: PaidPurchase) async throws(ReceiptError) -> StoreProof {
    if let signed = purchase.signedTransaction { return .signedTransaction(signed) }
    let known = await stored().transactions.first {
      [$0.identifier, $0.originalIdentifier].contains(purchase.transactionIdentifier)
    }
    guard let known else { throw .notListed(productIdentifier: purchase.productIdentifier) }
    return .signedTransaction(known.jws)
  }
}
