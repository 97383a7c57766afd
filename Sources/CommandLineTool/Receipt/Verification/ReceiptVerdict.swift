import SignedData
import StoreModel

/// The result of a verification.
enum ReceiptVerdict {
  /// The input was read, but not verified.
  case unchecked
  /// The input is genuine, and it meets the ``Expectation``: the app, the environment and the device.
  ///
  /// - anchor: the trusted certificate to which the input's certificate chain leads.
  /// - checkedDate: the date at which the certificates of the chain were checked.
  case verified(anchor: SHA256Fingerprint, checkedDate: StoreDate)
  case refused(VerificationFailure)

  var isRefused: Bool {
    if case .refused = self { true } else { false }
  }
}
