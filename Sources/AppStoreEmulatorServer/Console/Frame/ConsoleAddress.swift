import APIDescription
import AppStoreEmulator
import StoreModel
import WebSupport

/// The addresses of the console's pages. Names are in the query, because a browser would resolve `..` in a path.
enum ConsoleAddress {
  /// - Parameter tab: nil for the first tab.
  static func transaction(_ id: TransactionID, tab: TransactionTab? = nil) -> String {
    "/console/transactions/\(AddressText.segment(id.rawValue))" + AddressText.query([("tab", tab?.rawValue)])
  }

  static func file(_ file: TransactionFile, of id: TransactionID) -> String {
    "\(transaction(id))/files/\(file.rawValue)"
  }

  static func notification(_ uuid: String) -> String { "/console/notifications/\(AddressText.segment(uuid))" }

  static func notifications(about transaction: TransactionID) -> String {
    "/console/notifications" + AddressText.query([("transaction", transaction.rawValue)])
  }

  static func request(_ sequence: Int64) -> String { "/console/requests/\(sequence)" }

  static func subscription(_ original: TransactionID) -> String {
    "/console/subscriptions/\(AddressText.segment(original.rawValue))"
  }

  /// - Parameter skipped: the number of newer events that the timeline omits; nil for none.
  static func customer(_ name: AccountName, _ environment: StoreEnvironment, skipping skipped: Int? = nil) -> String {
    "/console/customer"
      + AddressText.query([
        ("environment", environment.lowercaseName), ("name", name.rawValue), ("skip", skipped.map(String.init)),
      ])
  }

  /// The page that shows an installation: the page of the customer who is signed in. If no customer is signed in, the
  /// list of the installation's requests.
  static func installation(_ installation: Installation) -> String {
    guard let account = installation.account else {
      return "/console/requests" + AddressText.query([("installation", installation.installationID.rawValue)])
    }
    return customer(account, installation.environment) + "#installations"
  }

  static func product(_ product: ProductID, of app: BundleID, storefront: String? = nil) -> String {
    "/console/product"
      + AddressText.query([("app", app.rawValue), ("product", product.rawValue), ("storefront", storefront)])
  }

  static func catalog(after app: BundleID, storefront: String, search: String?) -> String {
    "/console/catalog" + AddressText.query([("after", app.rawValue), ("storefront", storefront), ("q", search)])
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

/// The parameters that several pages have.
extension AddressQuery {
  /// Returns the environment; nil if it is missing.
  ///
  /// - Throws: ``PageRefusal`` if the value is not an environment.
  func environment() throws(PageRefusal) -> StoreEnvironment? {
    guard let text = self["environment"] else { return nil }
    guard let environment = StoreEnvironment(lowercaseName: text.lowercased()), environment != .xcode else {
      throw PageRefusal(.badRequest, "\(text) is no environment; use production or sandbox.")
    }
    return environment
  }

  /// Returns the parameter `transaction`; nil if it is missing.
  ///
  /// - Throws: ``PageRefusal`` if the value is not a transaction id.
  func transaction() throws(PageRefusal) -> TransactionID? {
    guard let text = self["transaction"] else { return nil }
    guard let id = TransactionID(rawValue: text) else {
      throw PageRefusal(.badRequest, "\(text) is no transaction id, which is a decimal number.")
    }
    return id
  }
}
