import AppStoreEmulator
import StoreModel
import WebSupport

extension NameList {
  static let customers = NameList("customers")
  static let products = NameList("products")
  static let installations = NameList("installations")
  static let faults = NameList("faults")
}

/// Names from the store, which text fields suggest to the user. Each kind of name is one `<datalist>`, and a page
/// contains each list once.
struct KnownNames: Sendable {
  private let lists: [HTML]

  /// Reads the newest names.
  init(_ lists: NameList..., in store: EmulatedAppStore) async throws {
    var html: [HTML] = []
    for list in lists { html.append(list.html(try await Self.options(of: list, in: store))) }
    self.lists = html
  }

  var html: HTML { "\(lists)" }

  /// The maximum number of names in a list.
  private static let largestNumber = 200

  private static func options(of list: NameList, in store: EmulatedAppStore) async throws -> [HTML] {
    switch list {
    case .customers:
      try await store.newestCustomerNames(limit: largestNumber).map { option($0.rawValue) }
    case .products:
      try await store.newestProductIDs(limit: largestNumber).map { option($0.rawValue) }
    case .installations:
      try await store.newestInstallations(limit: largestNumber).map { installation in
        let account = installation.account?.rawValue ?? "no customer is signed in"
        return option(
          installation.installationID.rawValue,
          label: "\(account), \(installation.bundleID.rawValue), \(installation.environment.rawValue)")
      }
    case .faults:
      store.faults().suffix(largestNumber).reversed().map { option($0.id.rawValue) }
    default: []
    }
  }

  private static func option(_ value: String, label: String? = nil) -> HTML {
    guard let label else { return "<option value=\"\(value)\"></option>" }
    return "<option value=\"\(value)\" label=\"\(label)\"></option>"
  }
}
