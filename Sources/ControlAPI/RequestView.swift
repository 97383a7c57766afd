import APIDescription
import AppStoreEmulator
import StoreModel

/// A request in the journal.
package struct RequestView: APIObject {
  package let sequence: Int64
  package let date: StoreDate
  package let call: RequestKind
  package let installationId: InstallationID?
  package let environment: StoreEnvironment?
  package let bundleId: BundleID?
  package let customer: AccountName?
  package let productIds: [ProductID]?
  package let paymentId: PaymentID?
  package let transactionId: TransactionID?
  package let outcome: RequestOutcome.Name
  package let code: StoreRefusal.Code?
  package let status: Int?
  package let reason: String?
  package let httpStatus: Int?
  package let fault: JournaledRequest.StruckBy?
  package let durationMicroseconds: Int64?

  package static let notes: [String: MemberNote] = [
    "date": "When the request arrived, on the store's clock.",
    "customer": "The customer who pays, signs in, or is signed in.",
    "productIds": "At most twenty.",
    "code": "The code of a refusal.",
    "status": "The status of verifyReceipt's answer.",
    "reason":
      "Why the request was refused, for its developer: the rule and, where it applies, the byte or the field. The caller does not receive it.",
    "durationMicroseconds": "From the arrival to the answer, of the machine's own time; missing while it is under way.",
  ]

  package init(_ request: JournaledRequest) {
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
    reason = request.reason
    httpStatus = if case .serverError(let status) = request.outcome { status } else { nil }
    fault = request.fault
    durationMicroseconds = request.durationMicroseconds
  }
}

/// A page of the request journal.
package struct RequestJournalView: APIObject {
  package static let schemaName = "RequestJournal"

  package let requests: [RequestView]
  package let kept: Int
  package let dropped: Int64
  package let last: Int64

  package static let notes: [String: MemberNote] = [
    "kept": "The number of requests in the journal, whether or not the query admits them.",
    "dropped": "The number of requests that were removed because the journal was full.",
    "last": "The number of the newest request; 0 before the first.",
  ]

  package init(requests: [JournaledRequest], extent: RequestJournalExtent) {
    self.requests = requests.map(RequestView.init)
    kept = extent.kept
    dropped = extent.dropped
    last = extent.last
  }
}
