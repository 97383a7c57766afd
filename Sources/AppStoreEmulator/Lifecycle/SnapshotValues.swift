import Foundation
import SignedData
import StoreModel

/// Checks the values of a decoded row of a snapshot, those in its JSON columns included.
///
/// It finds the values by their types, so a new column or member is checked as well. Only the numbers and texts of
/// ``names`` and ``integers`` are found by their names.
enum SnapshotValues {
  /// The dates that a row can have: those at which a store's clock can be, and later ones, such as the end of a period.
  private static let dates =
    IssuingAuthority.signableDates.lowerBound...StoreDate(millisecondsSince1970: 253_402_300_799_999)
  /// A store charges at most the highest price for each of ten items.
  private static let highestAmount = ProductDefinition.prices.upperBound.rawValue * 10
  private static let currencies = Set(Territory.all.map(\.currency))

  /// The rules of texts, by the name of the column or member.
  private static let names: [String: (isValid: @Sendable (String) -> Bool, what: String)] = [
    "currency": ({ currencies.contains($0) }, "no currency known here"),
    "storefrontCountryCode": ({ Territory(countryCode: $0) != nil }, "not a storefront known here"),
    "catalogStorefront": ({ Territory(countryCode: $0) != nil }, "not a storefront known here"),
    "family": ({ !$0.isEmpty }, "no name of a family"),
    "nonce": ({ !$0.isEmpty }, "no nonce"),
  ]

  /// The valid whole numbers, by the name of the column or member. Other numbers are from 0 to 999,999,999.
  private static let integers: [String: ClosedRange<Int64>] = [
    "quantity": 1...10, "revocationPercentage": 0...Int64(Percentage.whole), "sequence": 1...999_999_999_999,
    "recordNumber": 1...999_999_999_999, "revision": 1...999_999_999_999, "finishRevision": 1...999_999_999_999,
    "nextRevision": 1...999_999_999_999,
    // The periods since the first. Many more could not be computed with.
    "count": 0...10_000_000,
    "itemID": 0...Int64.max, "appAppleID": 1...Int64.max, "timestamp": 0...Int64.max,
    // Error codes of apps, and numbers of customers of earlier versions, can be negative.
    "code": Int64.min...Int64.max, "rawValue": Int64.min...Int64.max,
  ]

  /// - Parameter path: the row's table and number, for the error.
  /// - Throws: ``AppStoreEmulatorError/unusableSnapshot(reason:)`` with the path of the first value that no store writes.
  static func check(_ row: Any, path: String) throws(AppStoreEmulatorError) {
    guard let fault = fault(in: row, path) else { return }
    throw .unusableSnapshot(reason: fault)
  }

  private static func fault(in value: Any, _ path: String, _ name: String = "") -> String? {
    switch value {
    case let date as StoreDate: return dates.contains(date) ? nil : "\(path) is \(date), which is no date of a store"
    case let amount as Milliunits:
      // Only the reversal of a refund is negative.
      let lowest = path.hasPrefix("\(Refund.databaseTableName) ") ? -highestAmount : 0
      return (lowest...highestAmount).contains(amount.rawValue)
        ? nil : "\(path) is \(amount.rawValue), which is no amount of a store"
    case let environment as StoreEnvironment:
      return environment == .xcode ? "\(path) is \(environment.rawValue), in which no store sells" : nil
    case let text as String: return fault(inText: text, path, name)
    case let identifier as any StringIdentifier:
      return identifier.rawValue.isEmpty ? "\(path) is empty" : fault(inText: identifier.rawValue, path, name)
    case let number as any BinaryInteger:
      let isValid = Int64(exactly: number).map((integers[name] ?? 0...999_999_999).contains)
      return isValid == true ? nil : "\(path) is \(number), which is no such number of a store"
    case is Data, is UUID, is Bool, is any RawRepresentable<String>, is any RawRepresentable<Int>: return nil
    default:
      let mirror = Mirror(reflecting: value)
      let isUnnamed = [.optional, .enum].contains(mirror.displayStyle)
      for (index, child) in mirror.children.enumerated() {
        let label = isUnnamed ? "" : child.label.map { ".\($0)" } ?? "[\(index)]"
        // A value that is present has the name of its optional, and an element that of its collection.
        let own = isUnnamed ? name : child.label ?? name
        if let fault = fault(in: child.value, path + label, own) { return fault }
      }
      return nil
    }
  }

  private static func fault(inText text: String, _ path: String, _ name: String) -> String? {
    guard !text.utf8.contains(0), text.isStreamSafe else { return "\(path) is a text that no store keeps" }
    guard let rule = names[name], !rule.isValid(text) else { return nil }
    return "\(path) is \(text.prefix(80)), which is \(rule.what)"
  }
}
