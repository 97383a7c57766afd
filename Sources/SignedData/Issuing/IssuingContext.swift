import Foundation
import StoreModel

/// What leaf and intermediate certificates depend on besides the date of signing. It is known only when a certificate is
/// issued, not when its authority is made.
///
/// The keys do not depend on it: each key has one certificate for each context. These certificates are kept in memory only, so
/// a new address or another year leaves nothing in the key directory.
public struct IssuingContext: Hashable, Sendable {
  /// The date of the machine. Besides at the date of signing, a leaf must be valid now, for verifiers that check its status
  /// online.
  public var wallDate: StoreDate
  /// The address of the OCSP responder (RFC 6960) for the authority information access extension (RFC 5280, section
  /// 4.2.2.1) of leaves and intermediates; nil for no extension. Roots have none: verifiers refuse that.
  public var ocspResponder: URL?

  public init(wallDate: StoreDate, ocspResponder: URL? = nil) {
    self.wallDate = wallDate
    self.ocspResponder = ocspResponder
  }
}

extension IssuingAuthority {
  /// Returns an authority with the same keys and roots. In `context`, it signs with leaves that are valid at the store's date
  /// and at the machine's: from a day before the earlier to a year after the later, or longer.
  ///
  /// Leaves that are invalid on purpose (``SigningChain``) keep their two calendar years.
  public func issuing(in context: IssuingContext) -> IssuingAuthority { issuing { context } }

  /// Returns an authority with the same keys and roots, whose context changes.
  ///
  /// - Parameter context: returns the current context. It is called for each signature.
  public func issuing(in context: @escaping @Sendable () -> IssuingContext) -> IssuingAuthority {
    IssuingAuthority(identities: identities, context: context, style: style)
  }

  /// Returns an authority with the same keys and roots, which keeps the context of now: for signatures that belong together.
  /// Those of one date and ``SigningChain`` have the same chain.
  public func issuingInPresentContext() -> IssuingAuthority { context.map { issuing(in: $0()) } ?? self }
}
