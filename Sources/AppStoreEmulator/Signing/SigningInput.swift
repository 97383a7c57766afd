import StoreModel

/// A fulfilment with everything that signing it needs, so that it can be signed after the commit.
struct SigningInput: Sendable {
  let fulfilment: Fulfilment
  /// The record of the original transaction, for a redelivery.
  let original: TransactionRecord?
  let signedDate: StoreDate
  /// Where the transaction is delivered. Its legacy receipt names it.
  let installation: Installation
  let appAppleID: Int64
  let identity: InventedIdentity
}

extension StoreUnitOfWork {
  /// What is needed to sign `fulfilments` for an installation. Each gets a `signedDate` of its own.
  func signingInputs(_ fulfilments: [Fulfilment], for installation: Installation) throws -> [SigningInput] {
    let app = try catalog.app(installation.bundleID)
    return try fulfilments.map {
      SigningInput(
        fulfilment: $0, original: try original(of: $0), signedDate: try takeSignedDate(), installation: installation,
        appAppleID: app.appAppleID, identity: identity)
    }
  }

  private func original(of fulfilment: Fulfilment) throws -> TransactionRecord? {
    guard fulfilment.redelivery != nil else { return nil }
    let record = fulfilment.stored.record
    if record.originalTransactionID == record.transactionID { return record }
    return try fulfilments.transaction(record.originalTransactionID).record
  }
}
