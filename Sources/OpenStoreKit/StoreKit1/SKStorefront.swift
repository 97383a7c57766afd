import Foundation
import StoreModel

open class SKStorefront: NSObject, @unchecked Sendable {
  private let storefront: Storefront?

  public override init() {
    storefront = nil
    super.init()
  }

  init(_ storefront: Storefront) {
    self.storefront = storefront
    super.init()
  }

  open var countryCode: String { storefront?.countryCode ?? "" }
  open var identifier: String { storefront?.identifier ?? "" }
}
