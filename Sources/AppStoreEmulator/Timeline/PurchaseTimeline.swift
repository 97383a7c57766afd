import GRDB
import StoreModel

extension StoreUnitOfWork {
  /// The records of one purchase, by its id or by the id of a redelivery.
  ///
  /// - Throws: ``AppStoreEmulatorError/unknownTransaction(_:)``.
  func purchaseSources(of id: TransactionID) throws -> PurchaseSources {
    let details = try listing.details(id)
    return PurchaseSources(
      details: details, payment: try payment(details.stored.paymentID, details.stored.installationID),
      redelivered: try details.redeliveries.map { redelivery in
        try payment(redelivery.paymentID, redelivery.installationID)?.exactDate(of: redelivery.date)
      }, refundRequests: try refundRequests.list(details.stored.record.transactionID))
  }

  private func payment(_ id: PaymentID?, _ installation: InstallationID?) throws -> PaymentRow? {
    guard let id, let installation else { return nil }
    return try PaymentRow.fetch(id, of: installation, in: database)
  }
}
