import Crypto
import Foundation
import StoreModel

/// Reads the object of a configuration file.
///
/// A problem costs the smallest part of the file that cannot be used because of it: a value, an offer, the texts of one
/// language, a product. All other parts are read. Each lost part has a warning.
struct ConfigurationReader {
  typealias Problem = StoreKitConfigurationError.Problem

  /// A part of a file that can be left out, with the words that follow the problem in a warning.
  enum Part: String {
    case value = "it has no effect"
    case texts = "these texts are left out"
    case offer = "this offer is left out"
    case offersKey = "the key is left out, so no promotional offer can be bought"
    case product = "this product is left out"
    case products = "its products are left out"
  }

  /// The problems of the products that are left out. The file is refused for them if no product is left.
  private(set) var productProblems: [Problem] = []
  private(set) var warnings: [String] = []
  /// See ``StoreKitConfiguration/switchWarnings``.
  var switchWarnings: Set<String> = []
  var products: [ProductDefinition] = []
  /// The location of the product that is read, for each identifier.
  var productLocations: [ProductID: String] = [:]
  /// The problems of the part that is being read.
  private var partProblems: [Problem] = []

  /// The maximum number of problems, and of warnings. It bounds the memory for a file with many mistakes.
  private static let reportLimit = 1000

  /// Reports a problem for which the part that is being read cannot be used. Reading continues with a replacement
  /// value, so that all problems of the part are found.
  mutating func report(_ kind: StoreKitConfigurationError.Kind, at entry: ConfigurationEntry) {
    guard partProblems.count < Self.reportLimit else { return }
    partProblems.append(Problem(entry: entry.location, kind: kind))
  }

  /// Warns that a part of the file is left out.
  mutating func leaveOut(_ part: Part, _ kind: StoreKitConfigurationError.Kind, at entry: ConfigurationEntry) {
    leaveOut(part, Problem(entry: entry.location, kind: kind))
  }

  private mutating func leaveOut(_ part: Part, _ problem: Problem) {
    warn("\(problem); \(part.rawValue)")
    guard part == .product || part == .products, productProblems.count < Self.reportLimit else { return }
    productProblems.append(problem)
  }

  /// Reads a part of the file. If it has a problem, warns, and returns nil.
  mutating func read<Value>(_ part: Part, _ reading: (inout Self) -> Value?) -> Value? {
    let enclosing = partProblems
    partProblems = []
    let value = reading(&self)
    let problems = partProblems
    partProblems = enclosing
    guard !problems.isEmpty else { return value }
    for problem in problems { leaveOut(part, problem) }
    return nil
  }

  mutating func warn(_ text: String, at entry: ConfigurationEntry) {
    warn(entry.location.isEmpty ? text : "\(entry.location): \(text)")
  }

  private mutating func warn(_ text: String) {
    if warnings.count < Self.reportLimit { warnings.append(text) }
  }

  mutating func configuration(_ root: ConfigurationEntry) -> StoreKitConfiguration {
    let version = version(of: root)
    readProducts("products", of: root, allowing: [.consumable, .nonConsumable])
    readProducts("nonRenewingSubscriptions", of: root, allowing: [.nonRenewingSubscription])
    let groups = subscriptionGroups(of: root)
    let offersKey = read(.offersKey) { $0.offersKey(of: root) }
    let settings = settings(of: root)
    let identifier = string("identifier", of: root)
    return StoreKitConfiguration(
      identifier: identifier, version: version, products: products, subscriptionGroups: groups, offersKey: offersKey,
      settings: settings, warnings: warnings, switchWarnings: switchWarnings)
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
    guard (try? P256.Signing.PrivateKey(derRepresentation: key)) != nil else {
      report(.unusableOffersKey, at: entry)
      return nil
    }
    return StoreKitConfiguration.OffersKey(id: id, privateKey: key)
  }
}
