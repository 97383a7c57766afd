import Foundation
import StoreModel

/// The certificates with which something is signed. All but ``valid`` are for tests of verifiers; all other parts of the
/// signature are valid.
public enum SigningChain: String, Hashable, Codable, Sendable, CaseIterable {
  case valid
  /// The leaf expired before the date of signing.
  case expired
  /// The leaf becomes valid after the date of signing.
  case notYetValid
  /// The leaf is issued by another intermediate of the same root, as after Apple has replaced its intermediate. Verifiers
  /// must accept it. Legacy receipts, which do not contain their intermediate, keep the usual one.
  case rotatedIntermediate
  /// The certificates are valid, and the signature is of other bytes. Verifiers must refuse it.
  case wrongSignature

  /// Whether the leaf must be valid at the date of signing.
  var isValidNow: Bool { [.valid, .rotatedIntermediate, .wrongSignature].contains(self) }

  /// The bytes that are signed in place of `bytes`.
  func signed(_ bytes: [UInt8]) -> [UInt8] { self == .wrongSignature ? bytes + [0] : bytes }

  func issuer(insteadOf usual: Issuer) -> Issuer {
    guard self == .rotatedIntermediate else { return usual }
    return usual == .receiptIntermediate ? .rotatedReceiptIntermediate : .rotatedJWSIntermediate
  }

  /// The first year in which the leaf that signs at `date` is valid. An expired leaf is from the period before the one
  /// that contains `date`, and a leaf that is not yet valid is from the period after it.
  ///
  /// - Throws: ``IssuingError/dateOutsideCertificates(_:)``; ``IssuingError/noInvalidCertificate(_:_:)`` if the period
  ///   of the leaf is outside 2014 to 2063.
  func windowYear(at date: StoreDate) throws(IssuingError) -> Int {
    let year = try CertificatePeriod.windowYear(of: date)
    let other =
      switch self {
      case .valid, .rotatedIntermediate, .wrongSignature: year
      case .expired: year - CertificatePeriod.windowYears
      case .notYetValid: year + CertificatePeriod.windowYears
      }
    guard (CertificatePeriod.firstYear..<CertificatePeriod.endYear).contains(other) else {
      throw .noInvalidCertificate(date, self)
    }
    return other
  }
}

/// The leaf that signs, with its chain.
struct Signer: Sendable {
  /// Leaf, intermediate and root; or one certificate, which is trusted itself.
  let certificates: [Identity]
  /// The encoded JWS header with the chain. It is the same for all payloads.
  let header: [UInt8]

  var leaf: Identity { certificates[0] }

  /// The members that only Xcode writes into the header of a JWS.
  static let xcodeMembers = "\"kid\":\"Apple_Xcode_Key\",\"typ\":\"JWT\","

  /// - Parameter members: further members of the header, each with its comma.
  init(_ certificates: [Identity], members: String = "") {
    self.certificates = certificates
    let list = certificates.map { "\"\(Base64.text($0.der, .standard))\"" }.joined(separator: ",")
    header = Base64.encode(Array("{\"alg\":\"ES256\",\(members)\"x5c\":[\(list)]}".utf8), .url)
  }

  /// Everything that the certificates depend on.
  struct Key: Hashable {
    let issuer: Issuer
    /// The first year in which the leaf is valid.
    let year: Int
    let isValidNow: Bool
    /// The first year of the period of the machine's date; nil without a context.
    let wallYear: Int?
    let ocspResponder: URL?
  }
}
