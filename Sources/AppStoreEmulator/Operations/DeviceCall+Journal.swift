import StoreModel

// The properties of devices' calls that the journal needs: the size of a body in memory, and whether an answer has no
// changes. Only calls with receipts or lists can be large.

extension DeviceCall {
  var heldBytes: Int { RecordedBody.smallValue }
  static func heldBytes(of answer: Answer) -> Int { RecordedBody.smallValue }
  static func isWithoutNews(_ answer: Answer) -> Bool { false }
}

extension ChangesCall {
  static func isWithoutNews(_ answer: DeviceChanges) -> Bool { answer.changes.isEmpty }
}

extension ProductsCall {
  var heldBytes: Int { productIDs.reduce(RecordedBody.smallValue) { $0 + $1.rawValue.utf8.count } }

  /// A product has texts, prices and offers of about a kilobyte.
  static func heldBytes(of answer: ProductList) -> Int { RecordedBody.smallValue * (1 + answer.products.count) }
}

extension ConfirmCall {
  static func heldBytes(of answer: ConfirmationResult) -> Int {
    if case .purchased(let batch) = answer { batch.heldBytes } else { RecordedBody.smallValue }
  }
}

extension UnfinishedCall {
  static func heldBytes(of answer: DeliveryBatch) -> Int { answer.heldBytes }
}

extension RestoreCall {
  static func heldBytes(of answer: RestoredPage) -> Int { answer.batch.heldBytes }
}

extension RefreshReceiptCall {
  static func heldBytes(of answer: Answer) -> Int { RecordedBody.smallValue + answer.receipt.count }
}

extension DeliveryBatch {
  fileprivate var heldBytes: Int {
    deliveries.reduce(RecordedBody.smallValue + (receipt?.count ?? 0)) { size, delivery in
      size + delivery.signedTransaction.utf8.count + (delivery.transactionReceipt?.count ?? 0)
        + (delivery.redelivery?.originalReceipt?.count ?? 0)
    }
  }
}
