import AppStoreEmulator
import Foundation
import StoreModel

/// A configuration file as it was named, and what came of reading it.
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

  /// Whether there was anything to understand at all.
  var isReadable: Bool {
    !problems.contains { problem in
      switch problem.kind {
      case .unreadable, .tooLarge: true
      default: false
      }
    }
  }

  /// What the file's settings decide for all products.
  var defaults: CatalogDefaults { (try? result.get()).map { CatalogDefaults($0.settings) } ?? CatalogDefaults() }

  /// Where prices are shown for: the file's own storefront, if it is known, otherwise that of the USA.
  var storefront: Storefront { defaults.storefront }
}
