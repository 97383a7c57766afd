import Foundation
import StoreModel

/// Reads the object of a configuration file, and collects all problems.
///
/// After a problem, it continues with a replacement value. Its result is valid only if `problems` is empty.
struct ConfigurationReader {
  typealias Problem = StoreKitConfigurationError.Problem

  private(set) var problems: [Problem] = []
  private(set) var warnings: [String] = []
  var products: [ProductDefinition] = []
  /// The location of the first product with each identifier.
  var productLocations: [ProductID: String] = [:]

  /// The maximum number of problems, and of warnings. It bounds the memory for a file with many mistakes.
  private static let reportLimit = 1000

  mutating func report(_ kind: StoreKitConfigurationError.Kind, at entry: ConfigurationEntry) {
    guard problems.count < Self.reportLimit else { return }
    problems.append(Problem(entry: entry.location, kind: kind))
  }

  mutating func warn(_ text: String, at entry: ConfigurationEntry) {
    guard warnings.count < Self.reportLimit else { return }
    warnings.append(entry.location.isEmpty ? text : "\(entry.location): \(text)")
  }

  mutating func configuration(_ root: ConfigurationEntry) -> StoreKitConfiguration {
    let version = version(of: root)
    readProducts("products", of: root, allowing: [.consumable, .nonConsumable])
    readProducts("nonRenewingSubscriptions", of: root, allowing: [.nonRenewingSubscription])
    let groups = subscriptionGroups(of: root)
    let offersKey = offersKey(of: root)
    let settings = settings(of: root)
    return StoreKitConfiguration(
      identifier: string("identifier", of: root), version: version, products: products,
      subscriptionGroups: groups, offersKey: offersKey, settings: settings, warnings: warnings)
  }

  private mutating func version(of root: ConfigurationEntry) -> StoreKitConfiguration.Version {
    guard !root["version"].isNull else { return .newest }
    guard let entry = root.entry("version"), let major = entry["major"].integer else {
      warn("version is not understood; the file is read as version \(StoreKitConfiguration.Version.newest)", at: root)
      return .newest
    }
    let version = StoreKitConfiguration.Version(major: major, minor: entry["minor"].integer ?? 0)
    if !(1...StoreKitConfiguration.Version.newest.major).contains(major) {
      let newest = StoreKitConfiguration.Version.newest
      warn("version \(version) is not known here; the file is read as version \(newest)", at: root)
    }
    return version
  }

  private mutating func offersKey(of root: ConfigurationEntry) -> StoreKitConfiguration.OffersKey? {
    guard let entry = object("subscriptionOffersKeyPair", of: root) else { return nil }
    let id = requiredString("id", of: entry)
    let base64 = requiredString("privateKey", of: entry)
    // Removes white space, because hand-made files wrap long lines. Foundation's option to ignore unknown characters
    // is not used, because it would accept other invalid characters as well.
    let key = base64.flatMap { Data(base64Encoded: $0.filter { !$0.isWhitespace }) }
    if base64 != nil, key == nil { report(.malformedOffersKey, at: entry) }
    guard let id, let key else { return nil }
    return StoreKitConfiguration.OffersKey(id: id, privateKey: key)
  }
}
