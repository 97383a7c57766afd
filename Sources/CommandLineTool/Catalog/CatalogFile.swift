import AppStoreEmulator
import Foundation
import StoreModel

/// The path of a configuration file, and the result of reading it.
struct CatalogFile {
  /// A reason for which the store refuses the file.
  struct Problem {
    /// The path and name of the entry in the file; empty for the whole file.
    let entry: String
    let text: String
  }

  let path: String
  let result: Result<StoreKitConfiguration, StoreKitConfigurationError>
  /// In the order of the file.
  private(set) var problems: [Problem]

  init(path: String) {
    self.path = path
    do throws(StoreKitConfigurationError) {
      result = .success(try StoreKitConfiguration(contentsOf: URL(fileURLWithPath: path)))
      problems = []
    } catch {
      result = .failure(error)
      problems = error.problems.map { Problem(entry: $0.entry, text: "\($0.kind)") }
    }
  }

  /// Adds the store's refusal of the file's storefront.
  mutating func refuseStorefront(_ error: AppStoreEmulatorError) {
    problems.append(Problem(entry: "settings", text: error.description))
  }

  var products: [ProductDefinition] { (try? result.get())?.products ?? [] }

  var warnings: [String] { (try? result.get())?.warnings ?? [] }

  /// Whether the file could be opened and is not too large. Its contents may still have problems.
  var isReadable: Bool {
    guard case .failure(let error) = result else { return true }
    return !error.problems.contains { problem in
      switch problem.kind {
      case .unreadable, .tooLarge: true
      default: false
      }
    }
  }

  /// The settings of the file that apply to all its products.
  var defaults: CatalogDefaults { (try? result.get()).map { CatalogDefaults($0.settings) } ?? CatalogDefaults() }
}
