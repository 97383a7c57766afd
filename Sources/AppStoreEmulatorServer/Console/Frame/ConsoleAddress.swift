import APIDescription
import AppStoreEmulator
import StoreModel
import WebSupport

/// The addresses of the console's pages. Names are in the query, because a browser would resolve `..` in a path.
enum ConsoleAddress {
  static func transaction(_ id: TransactionID) -> String {
    "/console/transactions/\(AddressText.segment(id.rawValue))"
  }

  static func subscription(_ original: TransactionID) -> String {
    "/console/subscriptions/\(AddressText.segment(original.rawValue))"
  }

  static func customer(_ name: AccountName, _ environment: StoreEnvironment) -> String {
    "/console/customer" + AddressText.query([("environment", environment.lowercaseName), ("name", name.rawValue)])
  }

  static func product(_ product: ProductID, of app: BundleID, storefront: String? = nil) -> String {
    "/console/product"
      + AddressText.query([("app", app.rawValue), ("product", product.rawValue), ("storefront", storefront)])
  }

  static func purchase(
    of product: ProductID? = nil, app: BundleID? = nil, by customer: AccountName? = nil,
    in environment: StoreEnvironment? = nil
  ) -> String {
    "/console/purchase"
      + AddressText.query([
        ("app", app?.rawValue), ("product", product?.rawValue), ("customer", customer?.rawValue),
        ("environment", environment?.lowercaseName),
      ])
  }

  static func transactions(
    of customer: AccountName? = nil, in environment: StoreEnvironment? = nil, product: ProductID? = nil,
    app: BundleID? = nil
  ) -> String {
    "/"
      + AddressText.query([
        ("environment", environment?.lowercaseName), ("app", app?.rawValue), ("product", product?.rawValue),
        ("customer", customer?.rawValue),
      ])
  }

  /// Returns a link with the given content. If the address is longer than the server accepts, returns only the content.
  static func link(_ address: String, _ content: HTML) -> HTML {
    guard address.utf8.count < 60_000 else { return content }
    return "<a href=\"\(address)\">\(content)</a>"
  }
}
