import Foundation
import StoreModel
import SwiftASN1
@_spi(DisableValidityCheck) @_spi(FixedExpiryValidationTime) import X509

/// Asks OCSP responders whether the certificates of a signature are revoked (RFC 6960). The chain itself is verified by
/// ``SignedDataVerifier``, which never uses the network.
///
/// The leaf and the intermediate are asked about, each at the address in its certificate.
public struct CertificateStatusCheck: Sendable {
  /// What happens if no answer says that a certificate is good.
  public enum Mode: String, Hashable, Codable, Sendable, CaseIterable {
    /// Only a certificate that is revoked fails the check. A certificate without an address is not asked about.
    case soft
    /// Every certificate must be good. A responder that cannot be reached fails the check, and so does a certificate without
    /// an address.
    case hard
  }

  /// Sends an OCSP request with `POST` and the content type `application/ocsp-request`, and returns the body of the answer.
  public typealias Ask = @Sendable (_ request: [UInt8], _ responder: String) async throws -> [UInt8]

  private let mode: Mode
  private let ask: Ask

  public init(_ mode: Mode, ask: @escaping Ask) {
    self.mode = mode
    self.ask = ask
  }

  /// Checks the certificates of a signature. It takes at most 10 seconds.
  ///
  /// - Parameters:
  ///   - chain: leaf, intermediate and root, in DER, as verified before.
  ///   - date: the current date.
  /// - Returns: why a responder gave no answer, in a soft check that did not fail; nil if all answered.
  /// - Throws: ``CertificateStatusFailure``.
  @discardableResult
  public func check(_ chain: [[UInt8]], at date: StoreDate) async throws(CertificateStatusFailure) -> String? {
    let certificates = chain.compactMap { try? Certificate(derEncoded: $0) }
    guard certificates.count == 3, chain.count == 3 else {
      throw .refused(reason: "the chain is not leaf, intermediate and root")
    }
    if mode == .hard {
      for (name, certificate) in [("leaf", certificates[0]), ("intermediate", certificates[1])]
      where !certificate.hasOCSPAddress {
        throw .refused(reason: "the \(name) certificate has no address of an OCSP responder")
      }
    }
    let requester = Requester(mode: mode, ask: ask)
    var verifier = Verifier(rootCertificates: CertificateStore([certificates[2]])) {
      RFC5280Policy.withValidityCheckDisabled()
      OCSPVerifierPolicy(
        failureMode: mode == .soft ? .soft : .hard, requester: requester, fixedExpiryValidationTime: date.date)
    }
    let result = await verifier.validate(
      leaf: certificates[0], intermediates: CertificateStore([certificates[1]]))
    let unanswered = requester.unanswered.value
    guard case .couldNotValidate(let failures) = result else { return unanswered }
    if mode == .hard, let unanswered { throw .unreachable(reason: unanswered) }
    throw .refused(reason: failures.map { "\($0.policyFailureReason)" }.joined(separator: "; "))
  }

  /// The requests of one check.
  private final class Requester: OCSPRequester {
    let mode: Mode
    let ask: Ask
    /// The error of a request without an answer; nil if there is none. It fails a hard check.
    let unanswered = LockedValue<String?>(nil)

    init(mode: Mode, ask: @escaping Ask) {
      self.mode = mode
      self.ask = ask
    }

    func query(request: [UInt8], uri: String) async -> OCSPRequesterQueryResult {
      do {
        return .response(try await ask(request, uri))
      } catch {
        unanswered.value = "\(error)"
        return mode == .hard ? .terminalError(error) : .nonTerminalError(error)
      }
    }
  }
}

extension Certificate {
  /// Whether it says where its status can be asked (RFC 5280, section 4.2.2.1).
  fileprivate var hasOCSPAddress: Bool {
    guard let access = try? extensions.authorityInformationAccess else { return false }
    return access.contains { $0.method == .ocspServer }
  }
}

/// Thrown if the certificates of a signature are not known to be good.
public enum CertificateStatusFailure: DescribedError, Hashable, Sendable {
  /// A responder gave no answer. The check may be repeated.
  case unreachable(reason: String)
  /// A certificate is revoked, or an answer is not valid.
  case refused(reason: String)

  public var description: String {
    switch self {
    case .unreachable(let reason): "the status of the certificates cannot be asked (\(reason)); try again later"
    case .refused(let reason): "the certificates are not known to be good: \(reason)"
    }
  }
}
