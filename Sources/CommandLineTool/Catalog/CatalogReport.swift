import AppStoreEmulator
import StoreModel

/// The results of checking configuration files, to be printed as text or JSON.
///
/// The store and this report have the same check: reading a file, and `CatalogProblem` for all files together.
struct CatalogReport {
  /// A product identifier that several of the files contain.
  struct Duplicate {
    let productID: ProductID
    /// The paths, in the order of the arguments.
    let paths: [String]
    /// The words with which the store refuses the files.
    let text: String
  }

  let files: [CatalogFile]
  /// The duplicates, in the order of the files.
  let duplicates: [Duplicate]

  init(files: [CatalogFile]) {
    var files = files
    var duplicates: [Duplicate] = []
    let readable = files.indices.filter { (try? files[$0].result.get()) != nil }
    for problem in CatalogProblem.all(in: readable.compactMap { try? files[$0].result.get() }) {
      let positions = problem.files.map { readable[$0] }
      if case .duplicateProduct(let product) = problem.error {
        duplicates.append(
          Duplicate(productID: product, paths: positions.map { files[$0].path }, text: problem.error.description))
      } else {
        for position in positions { files[position].refuseStorefront(problem.error) }
      }
    }
    self.files = files
    self.duplicates = duplicates
  }

  /// The exit status: 2 if a file was unreadable, 1 if the store refuses the files, otherwise 0.
  var status: Int32 {
    if !files.allSatisfy(\.isReadable) { return 2 }
    return files.allSatisfy(\.problems.isEmpty) && duplicates.isEmpty ? 0 : 1
  }
}
