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
  let decisionDate: StoreDate
  private let transactionID: TransactionID?
  private let refusal: StoreRefusal?

  enum Outcome: Equatable {
    case purchased(TransactionID)
    case refused(StoreRefusal)
  }

  init(
    installationID: InstallationID, request: PaymentRequest, account: AccountName, decisionDate: StoreDate,
    outcome: Outcome
  ) {
    self.installationID = installationID
    paymentID = request.paymentID
    self.request = request
    self.account = account
    self.decisionDate = decisionDate
    switch outcome {
    case .purchased(let id): (transactionID, refusal) = (id, nil)
    case .refused(let reason): (transactionID, refusal) = (nil, reason)
    }
  }

  /// The schema admits exactly one of the two.
  var outcome: Outcome {
    if let transactionID { return .purchased(transactionID) }
    return .refused(
      refusal ?? StoreRefusal(.temporarilyUnavailable, "Payment \(paymentID) is recorded without an outcome."))
  }

  static func fetch(
    _ payment: PaymentID, of installation: InstallationID, in database: Database
  ) throws -> PaymentRow? {
    try lookUp(["installationID": installation.rawValue, "paymentID": payment.rawValue], in: database)
  }
}
