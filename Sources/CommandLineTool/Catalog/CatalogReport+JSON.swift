import AppStoreEmulator
import StoreModel

/// The document that `--json` prints. The names are stable. A member without a value is omitted.
///
/// | name | meaning |
/// |---|---|
/// | `ok` | true if the store serves the files: if there are no problems and no duplicates |
/// | `files` | one object for each file, in the order of the arguments: `file`, `ok`, `readable`, `version`, `storefront`, `currency`, `products`, `warnings`, `problems` |
/// | `products` | `productId`, `type`, `referenceName`, `displayName`, `price`, `familyShareable`; subscriptions also `groupId`, `groupLevel`, `period`, `offers` |
/// | `offers` | the number of offers |
/// | `warnings` | texts: the parts of the file that are left out or have no effect |
/// | `problems` | `entry` (empty if the problem concerns the whole file) and `problem`, a text |
/// | `duplicates` | `productId`, `files`, and `problem`, a text |
///
/// Prices are strings, in units of the currency, so that a JSON parser does not round them.
extension CatalogReport {
  var json: JSONValue {
    .object([
      "ok": .bool(status == 0),
      "files": .array(files.map(Self.json)),
      "duplicates": .array(
        duplicates.map {
          .object([
            "productId": .string($0.productID.rawValue), "files": .array($0.paths.map(JSONValue.string)),
            "problem": .string($0.text),
          ])
        }),
    ])
  }

  private static func json(_ file: CatalogFile) -> JSONValue {
    let configuration = file.problems.isEmpty ? try? file.result.get() : nil
    let storefront = configuration == nil ? nil : file.defaults.storefront
    return .members([
      "file": .string(file.path),
      "ok": .bool(file.problems.isEmpty),
      "readable": .bool(file.isReadable),
      "version": (configuration?.version).map { .string($0.description) },
      "storefront": (storefront?.countryCode).map(JSONValue.string),
      "currency": (storefront?.currency).map(JSONValue.string),
      "products": .array((configuration?.products ?? []).map { json($0, of: file.defaults) }),
      "warnings": .array(file.warnings.map(JSONValue.string)),
      "problems": .array(
        file.problems.map { .object(["entry": .string($0.entry), "problem": .string($0.text)]) }),
    ])
  }

  private static func json(_ product: ProductDefinition, of catalog: CatalogDefaults) -> JSONValue {
    let listing = product.listing(in: catalog.storefront, of: catalog)
    let terms = product.subscription
    return .members([
      "productId": .string(product.productID.rawValue),
      "type": .string(product.type.rawValue),
      "referenceName": .string(product.referenceName),
      "displayName": .string(listing.displayName),
      "price": .string(listing.price.amount.digits(in: listing.price.currency)),
      "familyShareable": .bool(product.isFamilyShareable),
      "groupId": (terms?.groupID.rawValue).map(JSONValue.string),
      "groupLevel": (terms?.groupLevel).map { .integer($0) },
      "period": (terms?.period.iso8601).map(JSONValue.string),
      "offers": (terms?.offers.count).map { .integer($0) },
    ])
  }
}
