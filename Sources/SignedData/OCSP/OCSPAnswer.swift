import Foundation
import StoreModel

/// The answer to an OCSP request before it is signed.
package enum OCSPAnswer: Hashable, Sendable {
  case statuses(CertificateStatuses)
  /// An answer without statuses, which is not signed.
  ///
  /// - Parameter reason: why, for the operator. The caller does not receive it.
  case error(OCSPError, reason: String)
}

/// The reason for an answer without statuses (RFC 6960, section 4.2.1).
package enum OCSPError: UInt8, Hashable, Codable, Sendable, CaseIterable {
  case malformedRequest = 1
  case internalError = 2
  case tryLater = 3
  /// No issuer of the certificates is one of this authority.
  case unauthorized = 6

  package var name: String { "\(self)" }
}

/// The status of each certificate that a request asks for.
package struct CertificateStatuses: Hashable, Sendable {
  package var certificates: [CertificateStatus]
  /// The first second of the answer, at which it is also made.
  package var thisUpdate: StoreDate
  /// The second until which the answer may be used.
  package var nextUpdate: StoreDate
  let nonce: [UInt8]?

  /// The period in which an answer may be used, in seconds.
  static let validSeconds: Int64 = 3_600

  /// Makes every certificate of a kind revoked.
  package mutating func revoke(_ kind: CertificateStatus.Kind) {
    for index in certificates.indices where certificates[index].kind == kind { certificates[index].status = .revoked }
  }

  /// Moves the answer into the past.
  package mutating func age(seconds: Int64) {
    (thisUpdate, nextUpdate) = (thisUpdate.adding(seconds: -seconds), nextUpdate.adding(seconds: -seconds))
  }
}

/// The status of one certificate.
package struct CertificateStatus: Hashable, Sendable {
  package enum Status: String, Hashable, Codable, Sendable {
    case good, revoked
    /// The issuer is known, but has not issued this certificate.
    case unknown
  }

  package enum Kind: String, Hashable, Codable, Sendable {
    case leaf, intermediate
  }

  let id: OCSPRequest.CertificateID
  /// Nil if another authority has issued the certificate.
  let issuer: Issuer?
  package var status: Status

  package var serialNumber: [UInt8] { id.serialNumber }

  package var kind: Kind? {
    guard let issuer else { return nil }
    return issuer.parent == nil ? .intermediate : .leaf
  }
}
