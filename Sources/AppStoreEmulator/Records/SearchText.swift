import Foundation
import StoreModel

/// Makes the text of a transaction in which ``RecordFilter/search`` looks for matches.
enum SearchText {
  /// Separates the values of a transaction, so that a search does not match across two values. Users cannot type it.
  private static let separator = "\u{1F}"

  /// Folds case and canonical equivalence, so that texts that differ only in these become equal.
  static func folded(_ text: String) -> String {
    // Both conversions are needed, because some capital letters have several small letters.
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
      // Omits duplicates: the token is often equal to the username, and the original id to the transaction id.
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
