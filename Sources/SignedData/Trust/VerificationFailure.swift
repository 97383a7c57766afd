/// Why signed data was refused.
///
/// When several things are wrong, the fault that is named is the first in the order of ``Fault``'s cases: a foreign
/// signer is reported as a foreign signer, not as a bad date.
public struct VerificationFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of fault, in the order they are looked for.
  public enum Fault: String, Codable, Sendable, CaseIterable {
    /// The data is not of its format: damaged, cut short, too large, or something else altogether.
    case structure
    /// The signer's certificate does not lead to a trusted one.
    case chain
    /// The chain is good, but its certificates are not made for signing this kind of data.
    case marker
    /// The chain is good, but one of its certificates was not valid when the data was signed.
    case date
    /// The signature does not fit the content: one of them was altered.
    case signature
    /// It is genuine, but for another app.
    case bundle
    /// It is genuine, but from another environment.
    case environment
    /// It is genuine, but was issued to another device.
    case device
  }

  /// The kind of fault.
  public let fault: Fault
  /// What was found, and what can be done about it, in words.
  public let detail: String

  /// - Parameters:
  ///   - fault: the kind of fault.
  ///   - detail: what was found, in words a user can act on.
  public init(fault: Fault, detail: String) {
    self.fault = fault
    self.detail = detail
  }

  /// The fault and the detail.
  public var description: String { "\(fault.rawValue): \(detail)" }
}

extension VerificationFailure {
  static func structure(_ detail: String) -> VerificationFailure {
    VerificationFailure(fault: .structure, detail: detail)
  }
}
