import AppStoreEmulator
import Foundation
import Hummingbird
import StoreModel
import WebSupport

/// The `.storekit` files in a request's body; see ``ControlAPI/AppCatalog``.
struct CatalogFiles: Sendable {
  let configurations: [StoreKitConfiguration]

  /// The maximum size of the body, in bytes. It is enough for tens of thousands of products.
  static let largestBody = 16 << 20

  /// Reads the files.
  ///
  /// - Throws: ``ErrorResponse`` if the body is malformed, `StoreKitConfigurationError` if a file has problems.
  init(_ body: Data) throws {
    let malformed = ErrorResponse(
      .badRequest, "malformedRequest",
      "The JSON does not fit: configurations is missing, or no array of objects, each the contents of a .storekit file."
    )
    guard let root = try? BoundedJSON.object(from: body, within: .catalog) as? [String: Any],
      let files = root["configurations"] as? [[String: Any]]
    else { throw malformed }
    if let unknown = root.keys.filter({ $0 != "configurations" }).min() {
      throw ErrorResponse(
        .badRequest, "malformedRequest", "\(unknown.prefix(80)) is not known here; there are configurations.")
    }
    configurations = try files.enumerated().map { position, file in
      try StoreKitConfiguration(
        data: try JSONSerialization.data(withJSONObject: file), name: "configurations[\(position)]")
    }
  }
}

extension BoundedJSON.Bounds {
  /// The bounds for the body. A `.storekit` file has about twenty values for each product.
  fileprivate static let catalog = BoundedJSON.Bounds(values: 2_000_000)
}
