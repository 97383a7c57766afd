import GRDB
import StoreModel

/// A confirmed payment and its outcome.
struct PaymentRow: Codable, Equatable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "payment"

  let installationID: InstallationID
  let paymentID: PaymentID
  let request: PaymentRequest
  /// The account that confirmed it.
  let account: AccountName
  /// What was confirmed; nil in rows of the first version, which did not keep it.
  let quote: PaymentQuote?
  /// When it was confirmed. It was decided then too, unless it had to wait for approval.
  let decisionDate: StoreDate
  /// When it was approved or declined; nil if it did not have to wait, and in rows of earlier versions.
  var approvalDate: StoreDate?
  /// When it is declined if nobody approves it. Nil if it does not wait, and if it began to wait under an earlier version.
  private(set) var approvalDeadline: StoreDate?
  private var transactionID: TransactionID?
  private var refusal: StoreRefusal?

  enum Outcome: Equatable {
    /// For approval.
    case waiting
    case purchased(TransactionID)
    case refused(StoreRefusal)
  }

  /// How long a payment waits for approval, in seconds.
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
