import Foundation
import StoreModel

/// The App Store of the country of the customer's account. Implements Apple's `SKStorefront`.
open class SKStorefront: NSObject, @unchecked Sendable {
  private let storefront: Territory?

  /// An empty storefront, for subclasses in an app's tests.
  public override init() {
    storefront = nil
    super.init()
  }

  init(_ storefront: Territory) {
    self.storefront = storefront
    super.init()
  }

  /// ISO 3166-1 alpha-3, such as `USA`.
  open var countryCode: String { storefront?.countryCode ?? "" }
  /// Apple's identifier of the storefront, such as `143441`.
  open var identifier: String { storefront?.identifier ?? "" }
}
