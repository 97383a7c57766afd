import StoreModel

/// A payment that a customer confirmed.
package struct CustomerPayment: Hashable, Sendable {
  package let installationID: InstallationID
  package let paymentID: PaymentID
  package let bundleID: BundleID
  package let productID: ProductID
  package let quantity: Int
  /// The confirmed total; nil for a payment of the first version, which did not store it.
  package let total: Price?
  /// The purchase or redelivery; nil if there is none.
  package let transactionID: TransactionID?
  package let refusal: StoreRefusal?

  init(_ row: PaymentRow, of bundleID: BundleID) {
    (installationID, paymentID, self.bundleID) = (row.installationID, row.paymentID, bundleID)
    (productID, quantity, total) = (row.request.productID, row.request.quantity, row.quote?.total)
    switch row.outcome {
    case .waiting: (transactionID, refusal) = (nil, nil)
    case .purchased(let id): (transactionID, refusal) = (id, nil)
    case .refused(let reason): (transactionID, refusal) = (nil, reason)
    }
  }
}
