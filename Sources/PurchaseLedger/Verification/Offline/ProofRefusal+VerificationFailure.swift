import SignedData

extension ProofRefusal {
  /// Converts a verification failure of signed data to the refusal that the sender receives.
  init(_ failure: VerificationFailure) {
    self =
      switch failure.fault {
      case .structure: .unreadable(detail: failure.detail)
      case .chain, .marker, .date, .signature: .forged(detail: failure.detail)
      case .bundle: .wrongApp(detail: failure.detail)
      case .environment: .wrongEnvironment(detail: failure.detail)
      // This does not occur, because the expectation contains no device. The ledger compares the device itself.
      case .device: .forged(detail: failure.detail)
      }
  }
}
