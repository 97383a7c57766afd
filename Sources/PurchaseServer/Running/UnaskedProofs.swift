import PurchaseLedger

/// Proofs that were taken to be asked about, and were not: they wait here until the ledger has on record that they are due
/// soon. Otherwise they would be asked about a whole period later.
actor UnaskedProofs {
  private let ledger: Ledger
  /// How soon, in seconds.
  private let seconds: Int64
  private var waiting: [StoredProof] = []

  init(_ ledger: Ledger, seconds: Int64) {
    self.ledger = ledger
    self.seconds = seconds
  }

  func add(_ proofs: some Sequence<StoredProof>) { waiting += proofs }

  /// Has the ledger take them down, also if the task is cancelled: a server that is stopping must leave none behind.
  ///
  /// - Throws: what the ledger threw. Those that are left go on waiting.
  func settle() async throws {
    while let proof = waiting.first {
      try await Task { [ledger, seconds] in try await ledger.postpone(proof, seconds: seconds) }.value
      waiting.removeFirst()
    }
  }
}
