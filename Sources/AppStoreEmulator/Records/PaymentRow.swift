import GRDB
import StoreModel

/// A confirmed payment and its outcome.
struct PaymentRow: Codable, Equatable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "payment"

  let installationID: InstallationID
  let paymentID: PaymentID
  let request: PaymentRequest
  /// The account that confirmed the payment.
  let account: AccountName
  /// The confirmed quote; nil in rows of the first version, which did not store it.
  let quote: PaymentQuote?
  /// The date at which the store received the confirmation. A payment that needs no approval is decided at that date; for
  /// the others, it is the beginning of the wait, and ``approvalDate`` is the date of the decision.
  let decisionDate: StoreDate
  /// The date at which a payment that waited for approval was approved or refused. Nil while it waits, for all other
  /// payments, and in rows of earlier versions.
  var approvalDate: StoreDate?
  /// The date at which a payment without approval is declined. Nil if it does not wait, or if it began to wait under an
  /// earlier version.
  private(set) var approvalDeadline: StoreDate?
  private var transactionID: TransactionID?
  private var refusal: StoreRefusal?

  enum Outcome: Equatable {
    /// The payment waits for approval.
    case waiting
    case purchased(TransactionID)
    case refused(StoreRefusal)
  }

  /// The time that a payment waits for approval, in seconds.
  static let approvalPeriod: Int64 = 86_400

  init(
    installationID: InstallationID, quote: PaymentQuote, decisionDate: StoreDate, outcome: Outcome
  ) {
    self.installationID = installationID
    paymentID = quote.payment.paymentID
    request = quote.payment
    account = quote.account
    self.quote = quote
    self.decisionDate = decisionDate
    decide(outcome)
    if outcome == .waiting { approvalDeadline = decisionDate.adding(seconds: Self.approvalPeriod) }
  }

  mutating func decide(_ outcome: Outcome) {
    approvalDeadline = nil
    switch outcome {
    case .waiting: (transactionID, refusal) = (nil, nil)
    case .purchased(let id): (transactionID, refusal) = (id, nil)
    case .refused(let reason): (transactionID, refusal) = (nil, reason)
    }
  }

  /// The schema allows at most one of `transactionID` and `refusal`.
  var outcome: Outcome {
    if let transactionID { return .purchased(transactionID) }
    return refusal.map(Outcome.refused) ?? .waiting
  }

  /// The number of its row. Payments are numbered in the order of their confirmations.
  func number(_ database: Database) throws -> Int64 {
    let statement = try database.cachedStatement(
      sql: "SELECT rowid FROM payment WHERE installationID = ? AND paymentID = ?")
    return try Int64.fetchOne(statement, arguments: [installationID.rawValue, paymentID.rawValue]) ?? 0
  }

  static func fetch(
    _ payment: PaymentID, of installation: InstallationID, in database: Database
  ) throws -> PaymentRow? {
    try lookUp(["installationID": installation.rawValue, "paymentID": payment.rawValue], in: database)
  }
}

/// A refused payment. The store buys its product in a separate transaction once the payment method is valid again.
struct InterruptedPurchase: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "interruptedPurchase"

  let installationID: InstallationID
  let paymentID: PaymentID
  /// The date at which the store buys the product; nil while the payment method is not valid.
  var dueDate: StoreDate?
}

/// The nonce of a promotional offer that was bought. Its signature cannot be used again.
struct OfferNonceRow: Codable, FetchableRecord, TableRecord {
  static let databaseTableName = "offerNonce"

  let bundleID: BundleID
  /// In lower case.
  let nonce: String
}
