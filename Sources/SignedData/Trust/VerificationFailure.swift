import StoreModel

/// Thrown when signed data is refused.
///
/// If there are several faults, the first in the order of the cases of ``Fault`` is reported: an unknown signer is
/// reported before an invalid date.
public struct VerificationFailure: DescribedError, Hashable, Sendable {
  /// The kinds of fault, in the order in which they are checked.
  public enum Fault: String, Codable, Sendable, CaseIterable {
    /// The format of the data is invalid: it is damaged, incomplete, too large, or another kind of data.
    case structure
    /// The chain of the signer's certificate does not end at a trusted certificate.
    case chain
    /// The chain is valid, but its certificates are not marked for signing this kind of data.
    case marker
    /// The chain is valid, but one of its certificates was not valid when the data was signed.
    case date
    /// The signature does not match the content: one of them was changed.
    case signature
    /// The data is genuine, but belongs to another app.
    case bundle
    /// The data is genuine, but from another environment.
    case environment
    /// The data is genuine, but was issued to another device.
    case device
  }

  /// The kind of fault.
  public let fault: Fault
  /// Describes the problem, and what can be done about it.
  public let detail: String

  /// - Parameters:
  ///   - fault: the kind of fault.
  ///   - detail: a description of the problem that helps a user to solve it.
  public init(fault: Fault, detail: String) {
    self.fault = fault
    self.detail = detail
  }

  /// The fault and the detail, as text.
  public var description: String { "\(fault.rawValue): \(detail)" }
}

extension VerificationFailure {
  static func structure(_ detail: String) -> VerificationFailure {
    VerificationFailure(fault: .structure, detail: detail)
  }
}
