/// An app that the store serves, and its catalog in the order of its configuration files.
package struct AppOnSale: Sendable {
  package let app: StoreApp
  package let catalog: [CatalogEntry]
}
