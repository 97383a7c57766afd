import GRDB
import StoreModel

/// A payment id that was decided, with what it stood for and what was answered.
struct PaymentRow: Codable, Equatable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "payment"

  let installationID: InstallationID
  let paymentID: PaymentID
  let request: PaymentRequest
  /// The account that confirmed it.
  let account: AccountName
  /// What was confirmed; nil in rows of the first version, which needed it no more once decided.
  let quote: PaymentQuote?
  /// When it was confirmed, which is when it was decided unless it had to wait for approval.
  let decisionDate: StoreDate
  /// When somebody approved or declined it; nil where it did not have to wait, and in rows of earlier versions.
  var approvalDate: StoreDate?
  private var transactionID: TransactionID?
  private var refusal: StoreRefusal?

  enum Outcome: Equatable {
    /// For somebody's approval.
    case waiting
    case purchased(TransactionID)
    case refused(StoreRefusal)
  }

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
  }

  mutating func decide(_ outcome: Outcome) {
    switch outcome {
    case .waiting: (transactionID, refusal) = (nil, nil)
    case .purchased(let id): (transactionID, refusal) = (id, nil)
    case .refused(let reason): (transactionID, refusal) = (nil, reason)
    }
  }

  /// The schema admits at most one of the two.
  var outcome: Outcome {
    if let transactionID { return .purchased(transactionID) }
    return refusal.map(Outcome.refused) ?? .waiting
  }

  static func fetch(
    _ payment: PaymentID, of installation: InstallationID, in database: Database
  ) throws -> PaymentRow? {
    try lookUp(["installationID": installation.rawValue, "paymentID": payment.rawValue], in: database)
  }
}
