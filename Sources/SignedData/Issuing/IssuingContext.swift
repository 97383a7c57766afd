import Foundation
import StoreModel

/// What leaf certificates depend on besides the date of signing. It is known only when a leaf is issued, not when its
/// authority is made.
///
/// The keys do not depend on it: each leaf's key has one certificate for each context. These certificates are kept in memory
/// only, so a new address or another year leaves nothing in the key directory.
public struct IssuingContext: Hashable, Sendable {
  /// The date of the machine. Besides at the date of signing, a leaf must be valid now, for verifiers that check its status
  /// online.
  public var wallDate: StoreDate
  /// The address of the OCSP responder (RFC 6960) for the authority information access extension (RFC 5280, section
  /// 4.2.2.1); nil for no extension.
  public var ocspResponder: URL?

  public init(wallDate: StoreDate, ocspResponder: URL? = nil) {
    self.wallDate = wallDate
    self.ocspResponder = ocspResponder
  }
}

extension IssuingAuthority {
  /// Returns an authority with the same keys, roots and intermediates. In `context`, it signs with leaves that are valid at
  /// the store's date and at the machine's: from a day before the earlier to a year after the later, or longer.
  ///
  /// Leaves that are invalid on purpose (``LeafValidity``) keep their two calendar years.
  public func issuing(in context: IssuingContext) -> IssuingAuthority {
    IssuingAuthority(identities: identities, context: context)
  }
}
