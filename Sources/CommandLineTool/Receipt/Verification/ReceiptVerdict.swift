import SignedData
import StoreModel

/// The result of a verification.
enum ReceiptVerdict {
  /// The input was read, but not verified.
  case unchecked
  /// The input is genuine and meets the expectation.
  ///
  /// - anchor: the trusted certificate to which its chain leads.
  /// - checkedDate: the date at which its certificates were checked.
  case verified(anchor: SHA256Fingerprint, checkedDate: StoreDate)
  case refused(VerificationFailure)

  var isRefused: Bool {
    if case .refused = self { true } else { false }
  }
}
