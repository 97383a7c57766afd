import AppStoreEmulator
import StoreModel

/// A record that the search found: its identifiers, and the address of its page.
struct SearchMatch {
  let identifiers: [String]
  let address: String

  static func all(_ matches: StoreMatches) -> [SearchMatch] {
    matches.transactions.map {
      SearchMatch(
        identifiers: [$0.record.transactionID.rawValue] + [$0.record.webOrderLineItemID].compactMap(\.self),
        address: ConsoleAddress.transaction($0.record.transactionID))
    }
      + matches.customers.map {
        SearchMatch(identifiers: [$0.name.rawValue], address: ConsoleAddress.customer($0.name, $0.environment))
      }
      + matches.products.map {
        SearchMatch(
          identifiers: [$0.definition.productID.rawValue],
          address: ConsoleAddress.product($0.definition.productID, of: $0.bundleID))
      }
      + matches.installations.map {
        SearchMatch(identifiers: [$0.installationID.rawValue], address: ConsoleAddress.installation($0))
      }
  }

  /// Whether the text is one of the identifiers, ignoring case.
  func isExact(_ text: String) -> Bool { identifiers.contains { $0.lowercased() == text.lowercased() } }
}
