import AppStoreEmulator
import StoreModel

/// What is told about configuration files, before it is written as text or JSON.
struct CatalogReport {
  /// A product identifier that several of the files sell.
  struct Duplicate {
    let productID: ProductID
    /// Paths, in the order they were given.
    let paths: [String]
  }

  let files: [CatalogFile]
  /// In the order of the identifiers.
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

  /// The exit status: 2 if a file was unreadable, 1 if something could not be understood, otherwise 0.
  var status: Int32 {
    if !files.allSatisfy(\.isReadable) { return 2 }
    return files.allSatisfy(\.problems.isEmpty) && duplicates.isEmpty ? 0 : 1
  }
}
