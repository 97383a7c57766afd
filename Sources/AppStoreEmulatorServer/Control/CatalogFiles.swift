import AppStoreEmulator
import Foundation
import StoreModel
import WebSupport

/// The `.storekit` files in a request's body; see ``ControlAPI/AppCatalog``.
struct CatalogFiles: Sendable {
  let configurations: [StoreKitConfiguration]

  /// The maximum size of the body, in bytes. It is enough for one file of the largest size.
  static let largestBody = StoreKitConfiguration.sizeLimit + 1024

  /// Reads the files.
  ///
  /// - Throws: ``ErrorResponse`` if the body is malformed, `StoreKitConfigurationError` if a file cannot be read, or
  ///   none of its products can be sold.
  init(_ body: Data) throws {
    guard let root = try JSONBody.document(in: body, within: .catalogs, allowsNull: true) as? [String: Any],
      let files = root["configurations"] as? [Any]
    else {
      throw ErrorResponse(
        .badRequest, "malformedRequest",
        "The JSON does not fit: configurations is missing, or no array of the contents of .storekit files.")
    }
    if let unknown = root.keys.filter({ $0 != "configurations" }).min() {
      throw ErrorResponse(
        .badRequest, "malformedRequest", "\(unknown.prefix(80)) is not known here; there are configurations.")
    }
    configurations = try files.enumerated().map { position, file in
      try StoreKitConfiguration(json: file, name: Self.name(position))
    }
  }

  /// The warnings of all files, each with the file's position in the body.
  var warnings: [String] {
    configurations.enumerated().flatMap { position, file in
      file.warnings.map { "\(Self.name(position)): \($0)" }
    }
  }

  private static func name(_ position: Int) -> String { "configurations[\(position)]" }
}

extension BoundedJSON.Bounds {
  /// The bounds for the body: those of one file, and the values around it.
  fileprivate static let catalogs = BoundedJSON.Bounds(values: StoreKitConfiguration.bounds.values + 10)
}
