extension PaymentQueueEngine {
  /// Loads, verifies and stores the current app receipt.
  func refreshReceipt() async throws {
    try await session.refreshReceipt()
    try publishReceipt()
  }

  /// Writes the newest receipt of the journal to the receipt file.
  func publishReceipt() throws {
    if let receipt = try journal.receipt() { receiptDidArrive(receipt) }
  }
}
