import APIDescription
import StoreModel

/// The catalog of an app: the contents of `.storekit` files. This type only describes the body; the server reads the
/// files from the request itself.
package struct AppCatalog: APIValue {
  package static func schema(_ components: SchemaComponents) -> JSONSchema {
    JSONSchema(
      .object([
        .init(
          "configurations",
          JSONSchema(
            .array(JSONSchema(.anyObject)), note: "The contents of .storekit files, each as a JSON object."),
          isRequired: true)
      ]))
  }
  package static var sample: AppCatalog { AppCatalog() }
  package static var componentName: String? { "AppCatalog" }
}

/// An app after its catalog was replaced.
package struct ServedApp: APIObject {
  package let app: AppView
  package let warnings: [String]

  package static let notes: [String: MemberNote] = [
    "warnings": "The parts of the files that are left out or have no effect, such as a product without a price."
  ]

  package init(app: AppView, warnings: [String]) {
    self.app = app
    self.warnings = warnings
  }
}
