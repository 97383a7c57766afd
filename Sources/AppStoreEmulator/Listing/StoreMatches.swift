import StoreModel

/// The records whose identifier begins with a text.
package struct StoreMatches: Hashable, Sendable {
  /// A product, and the app that it belongs to.
  package struct Product: Hashable, Sendable {
    package let bundleID: BundleID
    package let definition: ProductDefinition
  }

  /// Found by transaction id, by the complete id of a redelivery, or by the order id of a subscription period
  /// (`webOrderLineItemId`). Newest first.
  package let transactions: [StoredTransaction]
  package let customers: [Customer]
  package let products: [Product]
  package let installations: [Installation]
}
