extension PaymentQueueEngine {
  /// Fetches the app receipt as it is now, verifies and keeps it.
  func refreshReceipt() async throws {
    _ = try await session.refreshedReceipt()
    // What the journal holds by now: a purchase may have brought a newer one meanwhile, which the file must not lose.
    if let receipt = try journal.receipt() { receiptDidArrive(receipt) }
  }
}
