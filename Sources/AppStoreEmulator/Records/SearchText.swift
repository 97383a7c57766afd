import Foundation
import StoreModel

/// The text in which a transaction is searched for.
enum SearchText {
  /// Stands between two of a transaction's values, so that nothing is found across them. Nobody types it.
  private static let separator = "\u{1F}"

  /// The same for texts that differ only in upper and lower case, or in how their accents are encoded.
  static func folded(_ text: String) -> String {
    // Both ways, because some capital letters have several small ones.
    let folded = text.uppercased().lowercased()
    return folded.utf8.allSatisfy { $0 < 0x80 } ? folded : folded.precomposedStringWithCanonicalMapping
  }

  static func of(
    transactionID: String, originalTransactionID: String, productID: String, account: String,
    applicationUsername: String?, appAccountToken: UUID?
  ) -> String {
    var values: [String] = []
    for value in [
      transactionID, originalTransactionID, productID, account, applicationUsername, appAccountToken?.uuidString,
    ] {
      // The token is the username's most of the time, and the original id the own one.
      if let value = value.map(folded), !values.contains(value) { values.append(value) }
    }
    return values.joined(separator: separator)
  }
}

extension StoredTransaction {
  var searchText: String {
    SearchText.of(
      transactionID: record.transactionID.rawValue, originalTransactionID: record.originalTransactionID.rawValue,
      productID: record.productID.rawValue, account: account.rawValue,
      applicationUsername: record.applicationUsername, appAccountToken: record.appAccountToken)
  }
}
