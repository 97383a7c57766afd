import APIDescription
import PurchaseLedger
import StoreModel

extension ServiceEndpoints {
  static let operatorHealth = OperatorEndpoint<NoMembers, NoMembers, NoMembers, OperatorHealthView>(
    .get, "/v1/operator/health", role: .read, name: "operatorHealth",
    summary: "Returns what this server knows about itself, its ledger and the store.",
    answers: "The state, also if the server is not ready for writes")

  static let operatorHealths: [any DescribedEndpoint] = [operatorHealth]
}

/// The state of a server. What was heard of the store is of this server since its start; the rest is of the ledger.
struct OperatorHealthView: APIObject {
  let date: StoreDate
  let version: String?
  let problem: NotReadyView?
  let database: String
  let incarnation: LedgerIncarnation
  let anchors: [HealthView.Fingerprint]
  let apps: [AppHealthView]

  static let schemaName = "OperatorHealth"
  static let notes: [String: MemberNote] = [
    "date": "By the server's clock.", "version": "Of the program.",
    "problem": "Why the server is not ready, as `/ready` says; missing if it is.",
    "database": "The database system.", "anchors": "Of the roots whose purchases are in the ledger.",
  ]
}

struct AppHealthView: APIObject {
  let bundleId: BundleID
  let lastNotification: StoreDate?
  let setAside: Int64
  let oldestSetAside: StoreDate?
  let lastAnswer: StoreDate?
  let lastFailure: StoreFailureView?
  let histories: [StoreHistoryView]

  static let schemaName = "AppHealth"
  static let notes: [String: MemberNote] = [
    "lastNotification": "When a notification was received last.",
    "setAside": "The number of notifications that are set aside; 1,000 are counted.",
    "oldestSetAside": "When the first of them was received.",
    "lastAnswer":
      "When the store last gave this server a verified answer, or answered a call about consumption. It shows that the app's key or shared secret is accepted.",
    "lastFailure": "The last call of the store that failed; the store may have answered since.",
    "histories":
      "How far the notification histories were read. Only apps with a key of the App Store Server API have them.",
  ]
}

struct StoreFailureView: APIObject {
  let date: StoreDate
  let message: String

  static let schemaName = "StoreFailure"
}

struct StoreHistoryView: APIObject {
  let environment: StoreEnvironment
  let readUntil: StoreDate
  let leasedUntil: StoreDate?

  static let schemaName = "StoreHistory"
  static let notes: [String: MemberNote] = [
    "readUntil": "The date up to which all was read, by the store's clock.",
    "leasedUntil": "The end of the lease of the server that reads it now; missing if none does.",
  ]
}
