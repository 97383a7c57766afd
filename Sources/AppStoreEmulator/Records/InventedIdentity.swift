import Crypto
import Foundation
import SignedData
import StoreModel

/// Identifiers the store makes up, each following from the store's seed and what it is for.
///
/// Drawing them from a hash instead of a running generator means that they do not depend on the order in which
/// they are asked for, nor on a restart.
struct InventedIdentity {
  let seed: Int64

  private func digest(_ purpose: String, _ parts: [String]) -> [UInt8] {
    var hash = SHA256()
    hash.update(data: Data("\(seed)".utf8))
    for part in [purpose] + parts {
      // Lengths keep ("ab", "c") and ("a", "bc") apart.
      hash.update(data: Data("|\(part.utf8.count)|\(part)".utf8))
    }
    return Array(hash.finalize())
  }

  /// A number in `range`.
  func number(_ purpose: String, _ parts: String..., in range: Range<UInt64>) -> UInt64 {
    let value = digest(purpose, parts).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return range.lowerBound + value % UInt64(range.count)
  }

  func bytes(_ purpose: String, _ parts: String..., count: Int) -> [UInt8] {
    precondition(count <= 32)
    return Array(digest(purpose, parts).prefix(count))
  }

  func uuid(_ purpose: String, _ parts: String...) -> UUID {
    var generator = SeededGenerator(seed: digest(purpose, parts).prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    return UUID.version4(from: &generator)
  }

  /// One for each customer and app, across devices.
  func appTransactionID(of scope: Scope) -> String {
    let range: Range<UInt64> = 700_000_000_000_000_000..<800_000_000_000_000_000
    return String(
      number(
        "appTransactionID", scope.account.rawValue, scope.environment.rawValue, scope.bundleID.rawValue, in: range))
  }

  /// The opaque value (attribute 4) of an installation's receipts.
  func receiptOpaqueValue(installation: InstallationID) -> [UInt8] {
    bytes("receiptOpaqueValue", installation.rawValue, count: 16)
  }

  /// The number of a version of an app, as production's receipts have it.
  func versionExternalIdentifier(_ bundleID: BundleID, version: String) -> Int64 {
    Int64(number("versionExternalIdentifier", bundleID.rawValue, version, in: 800_000_000..<900_000_000))
  }

  /// The number of the download that an installation came of, as production's receipts have it.
  func downloadID(installation: InstallationID) -> Int64 {
    Int64(number("downloadID", installation.rawValue, in: 500_000_000_000_000..<510_000_000_000_000))
  }

  /// The number of the one developer whose apps a store sells, as production's receipts have it.
  func developerID() -> Int64 { Int64(number("developerID", in: 300_000_000..<400_000_000)) }

  /// The number of a product, as production's receipts have it.
  func itemID(_ product: ProductID, of bundleID: BundleID) -> Int64 {
    Int64(number("itemID", bundleID.rawValue, product.rawValue, in: 1_000_000_000..<9_999_999_999))
  }

  /// The number of one period of a subscription.
  func webOrderLineItemID(of transaction: TransactionID) -> String {
    String(number("webOrderLineItemID", transaction.rawValue, in: 100_000_000_000_000..<1_000_000_000_000_000))
  }

  /// What legacy receipts call the device, 40 hexadecimal digits.
  func uniqueIdentifier(deviceID: String) -> String {
    Hexadecimal.lowercaseText(of: bytes("uniqueIdentifier", deviceID, count: 20))
  }

  func app(_ bundleID: BundleID, appAppleID: Int64?, catalog: CatalogDefaults) -> StoreApp {
    let secret = Hexadecimal.lowercaseText(of: bytes("sharedSecret", bundleID.rawValue, count: 16))
    return StoreApp(
      bundleID: bundleID,
      appAppleID: appAppleID
        ?? Int64(number("appAppleID", bundleID.rawValue, in: 1_000_000_000..<9_999_999_999)),
      sharedSecret: secret,
      issuerID: uuid("issuerID", bundleID.rawValue).uuidString.lowercased(),
      catalogLocale: catalog.locale, catalogStorefront: catalog.storefront.countryCode)
  }
}
