import Foundation
import StoreModel

extension StoreUnitOfWork {
  var accountTokens: AccountTokens { AccountTokens(work: self) }
}

/// The `appAccountToken` that a developer's server sets for a purchase.
struct AccountTokens {
  let work: StoreUnitOfWork

  /// Sets the token of a purchase. For a subscription, that is the token of the current period; later periods have it, too, and past
  /// periods keep theirs.
  ///
  /// - Parameter original: the first transaction of the purchase.
  func set(_ token: UUID, of original: StoredTransaction) throws {
    var stored = original
    if let row = try work.subscriptions.find(original.record) {
      stored = try work.storedTransaction(row.currentTransactionID)
    }
    guard stored.record.appAccountToken != token else { return }
    stored.record.appAccountToken = token
    try stored.revise(work.database)
    try work.makeReceiptsLater()
  }
}

extension TransactionRecord {
  /// The token that the app's purchase contained, as its `applicationUsername`.
  static func accountToken(of applicationUsername: String?) -> UUID? {
    applicationUsername.flatMap(UUID.init(uuidString:))
  }

  /// The token that the developer's server has set; nil if the token is that of the app's purchase.
  var serverAccountToken: UUID? {
    appAccountToken == Self.accountToken(of: applicationUsername) ? nil : appAccountToken
  }
}
