import APIDescription
import AppStoreEmulator
import StoreModel
import WebSupport

/// Where the console's pages are. Names go into the query: as a part of a path, `..` would be a step upwards.
enum ConsoleAddress {
  static func transaction(_ id: TransactionID) -> String {
    "/console/transactions/\(AddressText.segment(id.rawValue))"
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

  /// A link around a name; without one where the address would be longer than servers read.
  static func link(_ address: String, _ content: HTML) -> HTML {
    guard address.utf8.count < 60_000 else { return content }
    return "<a href=\"\(address)\">\(content)</a>"
  }
}
