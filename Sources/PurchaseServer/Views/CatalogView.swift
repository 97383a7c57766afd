import PurchaseLedger
import StoreModel

/// An app's product catalog, in one language.
struct CatalogView: Encodable, Sendable {
  let bundleId: BundleID
  let revision: Int64
  let products: [CatalogProductView]
}

struct CatalogProductView: Encodable, Sendable {
  let productId: ProductID
  let type: ProductType
  /// The name in the requested language or the best available one; nil if there are no localisations.
  let name: String?
  let description: String?
  let language: String?
  let credits: LedgerProduct.Credits?
  /// Nil for a product without files.
  let content: CatalogContentView?

  init(_ listed: ListedProduct, _ languages: LanguagePreferences) {
    let product = listed.product
    productId = product.id
    type = product.type
    language = languages.choose(from: product.localisations.keys)
    let words = language.flatMap { product.localisations[$0] }
    name = words?.name
    description = words?.description
    credits = product.credits
    content = listed.content.map(CatalogContentView.init)
  }
}

/// The size of a product's files, as shown before the purchase.
struct CatalogContentView: Encodable, Sendable {
  let version: Int64
  /// The total size of all files, in bytes.
  let size: Int64
  let files: Int

  init(_ content: ProductContent) {
    version = content.version
    size = content.files.reduce(0) { $0 + $1.size }
    files = content.files.count
  }
}
