import Crypto
import StoreModel

/// The checked products of an app's configuration files.
struct ServedCatalog: Sendable {
  let bundleID: BundleID
  /// The app's Apple ID; nil if no file contains one.
  let appAppleID: Int64?
  let defaults: CatalogDefaults
  let renewalRules: RenewalRules
  let offerKey: StoreApp.OfferKey?
  /// In the order of the files.
  let products: [ProductDefinition]

  /// - Throws: ``AppStoreEmulatorError`` if the bundle id is empty, or the error of the first ``CatalogProblem``.
  init(_ bundleID: BundleID, files: [StoreKitConfiguration]) throws(AppStoreEmulatorError) {
    guard !bundleID.rawValue.isEmpty else { throw .emptyName("bundle id") }
    if let problem = CatalogProblem.all(in: files).first { throw problem.error }
    self.bundleID = bundleID
    products = files.flatMap(\.products)
    defaults = CatalogDefaults(
      storefront: files.lazy.compactMap(\.settings.storefront).first.flatMap(Territory.init(countryCode:)) ?? .usa,
      locale: files.lazy.compactMap(\.settings.locale).first)
    // A rate that StoreKitTest does not define means real time.
    let rate = files.lazy.compactMap(\.settings.timeRate).first.flatMap(RenewalRate.init(rawValue:)) ?? .realTime
    let hasGracePeriod = files.contains { $0.settings.billingGracePeriodEnabled }
    renewalRules = RenewalRules(rate: rate, gracePeriod: hasGracePeriod ? .standard : .off)
    offerKey = files.lazy.compactMap(\.offersKey).first.flatMap(StoreApp.OfferKey.init)
    // 0 is not the Apple ID of an app: sandbox receipts contain 0 for all apps.
    appAppleID = files.lazy.compactMap(\.settings.applicationInternalID).compactMap { Int64($0) }.first { $0 > 0 }
  }
}

/// A reason for which the store refuses the configuration files of an app.
///
/// Parts of a file that cannot be sold are no such reason: they are left out, with a warning. See
/// ``StoreKitConfiguration``.
public struct CatalogProblem: Hashable, Sendable {
  /// The error that the store throws.
  public let error: AppStoreEmulatorError
  /// The positions of the files that have the problem, in the order of the files.
  public let files: [Int]

  /// Returns all problems, in the order of the files. The store serves the files if and only if there are none.
  public static func all(in files: [StoreKitConfiguration]) -> [CatalogProblem] {
    var positions: [ProductID: [Int]] = [:]
    for (position, file) in files.enumerated() {
      for product in file.products { positions[product.productID, default: []].append(position) }
    }
    var problems: [CatalogProblem] = []
    for (position, file) in files.enumerated() {
      if let code = file.settings.storefront, Territory(countryCode: code) == nil {
        problems.append(CatalogProblem(error: .unknownStorefront(code), files: [position]))
      }
      for product in file.products {
        guard let found = positions.removeValue(forKey: product.productID), found.count > 1 else { continue }
        problems.append(CatalogProblem(error: .duplicateProduct(product.productID), files: Set(found).sorted()))
      }
    }
    return problems
  }
}

extension StoreApp.OfferKey {
  /// Nil if the key is not a P-256 key. Reading a configuration file leaves such a key out.
  fileprivate init?(_ key: StoreKitConfiguration.OffersKey) {
    guard let privateKey = try? P256.Signing.PrivateKey(derRepresentation: key.privateKey) else { return nil }
    self.init(id: key.id, publicKey: privateKey.publicKey.x963Representation)
  }
}
