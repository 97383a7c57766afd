import Crypto
import Foundation
import SignedData
import StoreModel

/// Computes the identifiers that the store invents, from the store's seed and from the identified object.
///
/// They are hashes instead of random numbers, so they do not depend on a restart, or on the order in which they are
/// computed.
struct InventedIdentity {
  let seed: Int64

  private func digest(_ purpose: String, _ parts: [String]) -> [UInt8] {
    var hash = SHA256()
    hash.update(data: Data("\(seed)".utf8))
    for part in [purpose] + parts {
      // Including the lengths makes the hashes of ("ab", "c") and ("a", "bc") different.
      hash.update(data: Data("|\(part.utf8.count)|\(part)".utf8))
    }
    return Array(hash.finalize())
  }

  /// A number in `range`, computed from `purpose` and `parts`.
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

  /// The same id for all transactions of one customer and app, on all devices.
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

  /// The identifier of an app version. Only receipts of production contain it.
  func versionExternalIdentifier(_ bundleID: BundleID, version: String) -> Int64 {
    Int64(number("versionExternalIdentifier", bundleID.rawValue, version, in: 800_000_000..<900_000_000))
  }

  /// The identifier of the download of an installation. Only receipts of production contain it.
  func downloadID(installation: InstallationID) -> Int64 {
    Int64(number("downloadID", installation.rawValue, in: 500_000_000_000_000..<510_000_000_000_000))
  }

  /// The identifier of the developer, the same for all apps of the store. Only receipts of production contain it.
  func developerID() -> Int64 { Int64(number("developerID", in: 300_000_000..<400_000_000)) }

  /// The identifier of a product. Only transactions of production contain it.
  func itemID(_ product: ProductID, of bundleID: BundleID) -> Int64 {
    Int64(number("itemID", bundleID.rawValue, product.rawValue, in: 1_000_000_000..<9_999_999_999))
  }

  /// The identifier of the subscription period of a transaction.
  func webOrderLineItemID(of transaction: TransactionID) -> String {
    String(number("webOrderLineItemID", transaction.rawValue, in: 100_000_000_000_000..<1_000_000_000_000_000))
  }

  /// The order of a charge: `M` and ten digits and letters.
  func orderID(of transaction: TransactionID) -> String {
    var number = number("orderID", transaction.rawValue, in: 0..<1 << 50)
    var id: [Character] = []
    for _ in 0..<10 {
      id.append(Self.orderDigits[Int(number % 32)])
      number /= 32
    }
    return "M" + String(id)
  }

  /// Without I, L, O and U, which are easily misread.
  private static let orderDigits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

  /// The identifier of the device in legacy receipts, 40 hexadecimal digits.
  func uniqueIdentifier(deviceID: String) -> String {
    Hexadecimal.lowercaseText(of: bytes("uniqueIdentifier", deviceID, count: 20))
  }

  func app(
    _ bundleID: BundleID, appAppleID: Int64?, catalog: CatalogDefaults, renewalRules: RenewalRules?,
    offerKey: StoreApp.OfferKey?
  ) -> StoreApp {
    let secret = Hexadecimal.lowercaseText(of: bytes("sharedSecret", bundleID.rawValue, count: 16))
    return StoreApp(
      bundleID: bundleID,
      appAppleID: appAppleID
        ?? Int64(number("appAppleID", bundleID.rawValue, in: 1_000_000_000..<9_999_999_999)),
      sharedSecret: secret,
      issuerID: uuid("issuerID", bundleID.rawValue).uuidString.lowercased(),
      catalogLocale: catalog.locale, catalogStorefront: catalog.storefront.countryCode, renewalRules: renewalRules,
      offerKey: offerKey)
  }
}
