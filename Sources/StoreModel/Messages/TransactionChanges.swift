/// A page of a customer's transactions in an app that changed after a revision, in the order of their changes.
///
/// A change is one that the signed transaction shows, or the finish. So a page has transactions of all the customer's
/// devices, finished ones, refunded ones and family shares, each once, as it is now.
public struct TransactionChanges: Hashable, Codable, Sendable {
  public struct Transaction: Hashable, Codable, Sendable {
    /// The transaction as a compact JWS.
    public let signedTransaction: String
    /// The revision of the last change that the signed transaction shows. A finish does not change it.
    public let revision: StoreRevision
    /// Whether an app has finished it. Only the store's list of unfinished transactions says to which device an
    /// unfinished one is delivered.
    public let isFinished: Bool

    public init(signedTransaction: String, revision: StoreRevision, isFinished: Bool) {
      self.signedTransaction = signedTransaction
      self.revision = revision
      self.isFinished = isFinished
    }
  }

  /// The customer who is signed in on the installation.
  public let account: AccountName
  public let transactions: [Transaction]
  /// The revision after which the next page begins. It is that of the request if nothing has changed.
  public let revision: StoreRevision
  /// Whether there were more changes when the page was made.
  public let hasMore: Bool
  /// All statuses of the customer in the app: own subscriptions and family shares. Only the last page has them, and only if
  /// the call asked for them; otherwise nil.
  public let statuses: [SignedStatus]?

  public init(
    account: AccountName, transactions: [Transaction], revision: StoreRevision, hasMore: Bool,
    statuses: [SignedStatus]? = nil
  ) {
    self.account = account
    self.transactions = transactions
    self.revision = revision
    self.hasMore = hasMore
    self.statuses = statuses
  }
}

/// The status of a subscription: its newest transaction and its renewal information, each as a compact JWS.
public struct SignedStatus: Hashable, Codable, Sendable {
  public let groupID: SubscriptionGroupID
  public let signedTransaction: String
  public let signedRenewalInfo: String

  public init(groupID: SubscriptionGroupID, signedTransaction: String, signedRenewalInfo: String) {
    self.groupID = groupID
    self.signedTransaction = signedTransaction
    self.signedRenewalInfo = signedRenewalInfo
  }
}
