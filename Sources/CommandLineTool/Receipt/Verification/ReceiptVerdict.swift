import SignedData
import StoreModel

/// What is known of whether an input may be believed.
enum ReceiptVerdict {
  /// It was read only.
  case unchecked
  /// It is genuine, and is what was expected.
  ///
  /// - anchor: what it was traced back to.
  /// - checkedDate: the instant its certificates were checked at.
  case verified(anchor: SHA256Fingerprint, checkedDate: StoreDate)
  case refused(VerificationFailure)

  var isRefused: Bool {
    if case .refused = self { true } else { false }
  }
}
