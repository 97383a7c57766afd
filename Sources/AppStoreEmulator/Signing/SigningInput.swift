import StoreModel

/// A fulfilment and all data for its signatures, so that it can be signed after the commit.
struct SigningInput: Sendable {
  let fulfilment: Fulfilment
  /// The record of the original transaction if the fulfilment is a redelivery; otherwise nil.
  let original: TransactionRecord?
  let signedDate: StoreDate
  /// The installation to which the transaction is delivered. The legacy receipt contains its identifiers.
  let installation: Installation
  let appAppleID: Int64
  let identity: InventedIdentity
}

extension StoreUnitOfWork {
  /// The data for signing `fulfilments` for an installation. Each element has its own `signedDate`.
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
    return try storedTransaction(record.originalTransactionID).record
  }
}
