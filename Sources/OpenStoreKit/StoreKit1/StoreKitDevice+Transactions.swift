extension StoreKitDevice {
  /// Requests this installation's unfinished transactions, and the changes of all the customer's transactions, from the
  /// store, verifies them, and stores them. It needs no observer: observers that are attached later are notified of the
  /// unfinished ones.
  ///
  /// - Throws: `StoreRefusal`, `StoreConnectionFailure`, or ``StoreKitDeviceError`` if a transaction was not verified.
  package func takeInTransactions() async throws { try await engine.takeInTransactions() }
}
