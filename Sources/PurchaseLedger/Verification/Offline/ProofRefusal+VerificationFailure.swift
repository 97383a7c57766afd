import SignedData

extension ProofRefusal {
  /// What a fault of signed data means for whoever sent it.
  init(_ failure: VerificationFailure) {
    self =
      switch failure.fault {
      case .structure: .unreadable(detail: failure.detail)
      case .chain, .marker, .date, .signature: .forged(detail: failure.detail)
      case .bundle: .wrongApp(detail: failure.detail)
      case .environment: .wrongEnvironment(detail: failure.detail)
      // Whose device it is, the ledger asks; no device is demanded of a proof.
      case .device: .forged(detail: failure.detail)
      }
  }
}
