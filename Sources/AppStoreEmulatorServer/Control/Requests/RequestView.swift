import AppStoreEmulator
import StoreModel

/// A request of the journal, as it is sent.
struct RequestView: Encodable, Sendable {
  let sequence: Int64
  let date: StoreDate
  let call: RequestKind
  let installationId: InstallationID?
  let environment: StoreEnvironment?
  let bundleId: BundleID?
  let customer: AccountName?
  let productIds: [ProductID]?
  let paymentId: PaymentID?
  let transactionId: TransactionID?
  let outcome: RequestOutcome.Name
  /// Of a refusal.
  let code: StoreRefusal.Code?
  /// Of `verifyReceipt`'s answer.
  let status: Int?
  let httpStatus: Int?
  let fault: JournaledRequest.StruckBy?

  init(_ request: JournaledRequest) {
    sequence = request.sequence
    date = request.date
    call = request.metadata.kind
    installationId = request.metadata.installationID
    environment = request.metadata.environment
    bundleId = request.metadata.bundleID
    customer = request.metadata.customer
    productIds = request.metadata.productIDs.isEmpty ? nil : request.metadata.productIDs
    paymentId = request.metadata.paymentID
    transactionId = request.metadata.transactionID
    outcome = request.outcome.name
    code = if case .refused(let code) = request.outcome { code } else { nil }
    status = if case .status(let status) = request.outcome { status } else { nil }
    httpStatus = if case .serverError(let status) = request.outcome { status } else { nil }
    fault = request.fault
  }
}

/// A part of the journal, as it is sent.
struct RequestJournalView: Encodable, Sendable {
  let requests: [RequestView]
  let kept: Int
  let dropped: Int64
  let last: Int64
}
