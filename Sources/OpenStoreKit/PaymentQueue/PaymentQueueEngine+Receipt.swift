extension PaymentQueueEngine {
  /// Fetches the app receipt as it is now, verifies and keeps it.
  func refreshReceipt() async throws {
    try await session.refreshReceipt()
    try publishReceipt()
  }

  /// Writes the receipt that the journal holds into its file: the latest, whichever brought it.
  func publishReceipt() throws {
    if let receipt = try journal.receipt() { receiptDidArrive(receipt) }
  }
}
