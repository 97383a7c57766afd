import AppStoreEmulator
import StoreModel

extension CatalogReport {
  /// The report as text. Control characters from the files are escaped.
  var text: String {
    var sections = files.map(Self.lines)
    if !duplicates.isEmpty {
      sections.append(
        duplicates.flatMap { duplicate in
          let paths = duplicate.paths.map { $0.madeVisible(limit: 300) }.joined(separator: " and ")
          return LabeledRows.broken(
            "problem: \(duplicate.text.madeVisible(limit: 500)) It is in \(paths).", columns: TextTable.maximumColumns)
        })
    }
    return sections.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }

  private static func lines(_ file: CatalogFile) -> [String] {
    let name = file.path.madeVisible(limit: 300)
    let notes =
      file.warnings.map { "warning: \($0)" }
      + file.problems.map { "problem: \($0.entry.isEmpty ? "" : "\($0.entry): ")\($0.text)" }
    let noteLines = notes.flatMap {
      LabeledRows.broken($0.madeVisible(limit: 1000), columns: TextTable.maximumColumns)
    }
    guard case .success(let configuration) = file.result, file.problems.isEmpty else {
      let count = file.problems.count
      let verdict = file.isReadable ? "\(count) problem\(count == 1 ? "" : "s")" : "unreadable"
      return ["\(name): \(verdict)"] + noteLines
    }
    let count = configuration.products.count
    let storefront = file.defaults.storefront
    let head =
      "\(name): \(count) product\(count == 1 ? "" : "s"), version \(configuration.version), "
      + "prices for \(storefront.countryCode)"
    return [head] + (count == 0 ? [] : table(file)) + noteLines
  }

  private static func table(_ file: CatalogFile) -> [String] {
    let columns: [TextTable.Column] = [
      .init(heading: "product"), .init(heading: "type"), .init(heading: "name"),
      .init(heading: "price", isNumber: true), .init(heading: "period"), .init(heading: "offers", isNumber: true),
    ]
    let catalog = file.defaults
    let rows = file.products.map { product in
      let listing = product.listing(in: catalog.storefront, of: catalog)
      let name = listing.displayName.isEmpty ? product.referenceName : listing.displayName
      return [
        product.productID.rawValue.madeVisible(limit: 100), product.type.rawValue, name.madeVisible(limit: 60),
        "\(listing.price.amount.digits(in: listing.price.currency)) \(listing.price.currency)",
        product.subscription?.period.iso8601 ?? "",
        product.subscription.map { String($0.offers.count) } ?? "",
      ]
    }
    return TextTable(columns: columns, rows: rows).lines
  }
}
