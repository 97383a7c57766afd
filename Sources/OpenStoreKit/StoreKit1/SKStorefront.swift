import Foundation
import StoreModel

/// The App Store of one country, as the customer's account belongs to it. Implements Apple's `SKStorefront`.
open class SKStorefront: NSObject, @unchecked Sendable {
  private let storefront: Storefront?

  /// A storefront of nowhere, for subclasses in a client's tests.
  public override init() {
    storefront = nil
    super.init()
  }

  init(_ storefront: Storefront) {
    self.storefront = storefront
    super.init()
  }

  /// ISO 3166-1 alpha-3, such as `USA`.
  open var countryCode: String { storefront?.countryCode ?? "" }
  /// Apple's number for the storefront, such as `143441`.
  open var identifier: String { storefront?.identifier ?? "" }
}
