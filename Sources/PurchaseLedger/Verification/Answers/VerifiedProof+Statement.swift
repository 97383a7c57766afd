import SignedData
import StoreModel

extension VerifiedProof {
  /// What the store said.
  ///
  /// - Parameter signed: what the receipt says itself, under a good signature. It knows two things that an app receipt's
  ///   answer does not: which device it was issued for, and of what type each product is.
  init(_ proof: PurchaseProof, _ policy: VerificationPolicy, _ statement: VerifiedAnswer, signed: VerifiedProof?) {
    let types = Dictionary(
      (signed?.purchases ?? []).map { ($0.transactionID, $0.type) }, uniquingKeysWith: { first, _ in first })
    let purchases = statement.purchases.map { purchase in
      var purchase = purchase
      purchase.type = types[purchase.transactionID] ?? nil
      return purchase
    }
    let vendorIdentifier = statement.vendorIdentifier
    self.init(
      proof: proof, app: policy.bundleID, environment: statement.environment, statedDate: statement.statedDate,
      issuedDate: signed?.issuedDate, purchases: purchases
    ) { device in
      if let vendorIdentifier { return device == .vendorIdentifier(vendorIdentifier) }
      return signed?.isIssued(device) ?? false
    }
  }
}
