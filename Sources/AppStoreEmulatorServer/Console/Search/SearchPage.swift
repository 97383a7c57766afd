import APIDescription
import AppStoreEmulator
import StoreModel
import WebSupport

/// The list of records whose identifier begins with a text.
struct SearchPage {
  let text: String
  let matches: StoreMatches
  let names: ProductNames

  /// The maximum number of records of each kind. A longer text finds the others.
  static let largestNumber = 20

  var html: HTML {
    let tables = [transactions, customers, products, installations]
    let isEmpty = tables.allSatisfy(\.isEmpty)
    return """
      <h1>Search for \(HTML.shortName(text))</h1>
      \(isEmpty ? nothing : HTML(tables))
      """
  }

  private var nothing: HTML {
    let query = AddressText.query([("q", text)])
    return """
      <div class="card"><p>No transaction, order, customer, product or installation has an identifier that begins so.</p>
      <p>Search within names and identifiers: \(ConsoleAddress.link("/\(query)", "transactions")), \
      \(ConsoleAddress.link("/console/customers\(query)", "customers")), \
      \(ConsoleAddress.link("/console/catalog\(query)", "products")).</p></div>
      """
  }

  private func section(_ title: String, _ columns: [DataTable.Column], _ rows: [[HTML]]) -> HTML {
    rows.isEmpty
      ? "" : "<section><h2>\(title)</h2>\(DataTable(caption: title, columns: columns, rows: rows).html)</section>\n"
  }

  private var transactions: HTML {
    section(
      "Transactions",
      [
        .init("Transaction"), .init("Product"), .init("Customer"), .init("Price", isNumber: true), .init("State"),
        .init("Time"),
      ],
      matches.transactions.map { stored in
        let record = stored.record
        let order: HTML = record.webOrderLineItemID.map { "<span class=\"sub mono\">order \($0)</span>" } ?? ""
        return [
          "<a class=\"mono\" href=\"\(ConsoleAddress.transaction(record.transactionID))\">\(record.transactionID.rawValue)</a>\(order)",
          names.cell(record.productID, of: record.bundleID), .shortName(stored.account.rawValue),
          "\(Money.text(record.price, record.currency))", stored.stateBadges, record.purchaseDate.html,
        ]
      })
  }

  private var customers: HTML {
    section(
      "Customers", [.init("Name"), .init("Environment"), .init("Storefront")],
      matches.customers.map {
        [
          ConsoleAddress.link(ConsoleAddress.customer($0.name, $0.environment), .shortName($0.name.rawValue)),
          "\($0.environment.rawValue)", "\(StorefrontText.title($0.storefrontCountryCode))",
        ]
      })
  }

  private var products: HTML {
    section(
      "Products", [.init("Product"), .init("Type"), .init("App")],
      matches.products.map {
        [
          ProductNames.cell(
            of: $0.definition, address: ConsoleAddress.product($0.definition.productID, of: $0.bundleID)),
          "\($0.definition.type.text)", .identifier($0.bundleID.rawValue, limit: 80),
        ]
      })
  }

  private var installations: HTML {
    section(
      "Installations", [.init("Installation"), .init("App"), .init("Customer"), .init("Environment")],
      matches.installations.map {
        [
          ConsoleAddress.link(ConsoleAddress.installation($0), .shortName($0.installationID.rawValue)),
          .identifier($0.bundleID.rawValue, limit: 80), $0.account.map { .shortName($0.rawValue) } ?? "",
          "\($0.environment.rawValue)",
        ]
      })
  }
}
