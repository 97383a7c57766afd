extension ReceiptReader {
  /// The app receipt as a proof, unverified: the server verifies it.
  ///
  /// - Throws: ``ReceiptError``.
  public func proof() throws -> StoreProof { .appReceipt(try data()) }
}
