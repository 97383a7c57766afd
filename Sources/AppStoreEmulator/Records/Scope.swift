import GRDB
import StoreModel

/// The customer, app and environment to which a rule applies.
struct Scope: Hashable, Sendable {
  let account: AccountName
  let bundleID: BundleID
  let environment: StoreEnvironment
}

extension Scope {
  /// The scope of a purchase on an installation.
  init(_ account: AccountName, on installation: Installation) {
    self.init(account: account, bundleID: installation.bundleID, environment: installation.environment)
  }

  /// The scope of a transaction and its owner.
  init(_ stored: StoredTransaction) {
    self.init(account: stored.account, bundleID: stored.record.bundleID, environment: stored.record.environment)
  }

  /// The values of `account`, `bundleID` and `environment`, for SQL.
  var arguments: StatementArguments { [account.rawValue, bundleID.rawValue, environment.rawValue] }
}
