import AppStoreEmulator
import Foundation
import StoreModel

/// The path of a configuration file, and the result of reading it.
struct CatalogFile {
  let path: String
  let result: Result<StoreKitConfiguration, StoreKitConfigurationError>

  init(path: String) {
    self.path = path
    do throws(StoreKitConfigurationError) {
      result = .success(try StoreKitConfiguration(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      result = .failure(error)
    }
  }

  var products: [ProductDefinition] { (try? result.get())?.products ?? [] }

  var warnings: [String] { (try? result.get())?.warnings ?? [] }

  var problems: [StoreKitConfigurationError.Problem] {
    if case .failure(let error) = result { error.problems } else { [] }
  }

  /// Whether the file could be opened and is not too large. Its contents may still have problems.
  var isReadable: Bool {
    !problems.contains { problem in
      switch problem.kind {
      case .unreadable, .tooLarge: true
      default: false
      }
    }
  }

  /// The settings of the file that apply to all its products.
  var defaults: CatalogDefaults { (try? result.get()).map { CatalogDefaults($0.settings) } ?? CatalogDefaults() }

  /// The storefront whose prices are shown: the file's own if it is known, otherwise that of the USA.
  var storefront: Storefront { defaults.storefront }
}
