import PurchaseLedger
import StoreModel

/// The master list (A3), in one language.
struct CatalogView: Encodable, Sendable {
  let bundleId: BundleID
  let revision: Int64
  let products: [CatalogProductView]
}

struct CatalogProductView: Encodable, Sendable {
  let productId: ProductID
  let type: ProductType
  /// In the language asked for, or the nearest there is; nil where there are no words.
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

/// What comes with a product, before it is bought.
struct CatalogContentView: Encodable, Sendable {
  let version: Int64
  /// Of all files, in bytes.
  let size: Int64
  let files: Int

  init(_ content: ProductContent) {
    version = content.version
    size = content.files.reduce(0) { $0 + $1.size }
    files = content.files.count
  }
}
