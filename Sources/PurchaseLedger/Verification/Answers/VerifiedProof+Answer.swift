import SignedData
import StoreModel

extension VerifiedProof {
  /// Creates a proof from the store's answer.
  ///
  /// - Parameter signed: the receipt's own content, if this server has verified its signature. It contains two things that
  ///   the answer about an app receipt lacks: the device that it was issued for, and the type of each product.
  init(_ proof: PurchaseProof, _ policy: VerificationPolicy, _ answer: VerifiedAnswer, signed: VerifiedProof?) {
    let types = Dictionary(
      (signed?.purchases ?? []).map { ($0.transactionID, $0.type) }, uniquingKeysWith: { first, _ in first })
    let purchases = answer.purchases.map { purchase in
      var purchase = purchase
      purchase.type = types[purchase.transactionID] ?? nil
      return purchase
    }
    let vendorIdentifier = answer.vendorIdentifier
    self.init(
      proof: proof, app: policy.bundleID, environment: answer.environment, statedDate: answer.statedDate,
      issuedDate: signed?.issuedDate, purchases: purchases, renewals: answer.renewals
    ) { device in
      if let vendorIdentifier { return device == .vendorIdentifier(vendorIdentifier) }
      return signed?.isIssued(device) ?? false
    }
  }
}
