import AppStoreEmulator
import StoreModel

/// The results of checking configuration files, to be printed as text or JSON.
struct CatalogReport {
  /// A product identifier that several of the files contain.
  struct Duplicate {
    let productID: ProductID
    /// The paths, in the order of the arguments.
    let paths: [String]
  }

  let files: [CatalogFile]
  /// The duplicates, sorted by product identifier.
  let duplicates: [Duplicate]

  init(files: [CatalogFile]) {
    self.files = files
    var paths: [ProductID: [String]] = [:]
    for file in files {
      for product in file.products { paths[product.productID, default: []].append(file.path) }
    }
    duplicates = paths.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }
      .map { Duplicate(productID: $0.key, paths: $0.value) }
  }

  /// The exit status: 2 if a file was unreadable, 1 if a file has problems or a product id is a duplicate, otherwise 0.
  var status: Int32 {
    if !files.allSatisfy(\.isReadable) { return 2 }
    return files.allSatisfy(\.problems.isEmpty) && duplicates.isEmpty ? 0 : 1
  }
}
