import SignedData
import StoreModel

/// Checks the values of a decoded row of a snapshot, those in its JSON columns included.
///
/// It finds the values by their types, so a new column or member is checked as well. Only quantities are found by their
/// name, `quantity`.
enum SnapshotValues {
  /// The dates that a row can have: those at which a store's clock can be, and later ones, such as the end of a period.
  private static let dates =
    IssuingAuthority.signableDates.lowerBound...StoreDate(millisecondsSince1970: 253_402_300_799_999)
  /// A store charges at most the highest price for each of ten items.
  private static let amounts =
    -ProductDefinition.prices.upperBound.rawValue * 10...ProductDefinition.prices.upperBound.rawValue * 10
  private static let quantities = 1...10

  /// - Parameter path: the row's table and number, for the error.
  /// - Throws: ``AppStoreEmulatorError/unusableSnapshot(reason:)`` with the path of the first value that no store writes.
  static func check(_ row: Any, path: String) throws(AppStoreEmulatorError) {
    guard let fault = fault(in: row, path) else { return }
    throw .unusableSnapshot(reason: fault)
  }

  private static func fault(in value: Any, _ path: String) -> String? {
    switch value {
    case let date as StoreDate: return dates.contains(date) ? nil : "\(path) is \(date), which is no date of a store"
    case let amount as Milliunits:
      return amounts.contains(amount.rawValue) ? nil : "\(path) is \(amount.rawValue), which is no amount of a store"
    case let text as String: return fault(inText: text, path)
    case let identifier as any StringIdentifier: return fault(inText: identifier.rawValue, path)
    case is any BinaryInteger:
      guard path.hasSuffix(".quantity"), let quantity = value as? Int, !quantities.contains(quantity) else {
        return nil
      }
      return "\(path) is \(quantity), which is no quantity"
    default:
      let mirror = Mirror(reflecting: value)
      for (index, child) in mirror.children.enumerated() {
        let isUnnamed = mirror.displayStyle == .optional || mirror.displayStyle == .enum
        let label = isUnnamed ? "" : child.label.map { ".\($0)" } ?? "[\(index)]"
        if let fault = fault(in: child.value, path + label) { return fault }
      }
      return nil
    }
  }

  private static func fault(inText text: String, _ path: String) -> String? {
    guard !text.utf8.contains(0), text.isStreamSafe else { return "\(path) is a text that no store keeps" }
    return nil
  }
}
