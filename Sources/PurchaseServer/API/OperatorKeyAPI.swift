import APIDescription
import PurchaseLedger
import StoreModel

extension ServiceEndpoints {
  static let operatorKeys = Endpoint<NoMembers, PageQuery, NoMembers, OperatorKeyList>(
    .get, "/v1/operator/keys", name: "operatorKeys",
    summary: "Lists all keys, also revoked ones, without their secrets, oldest first.", answers: "A page of the keys",
    callers: operators)
  static let createOperatorKey = Endpoint<NoMembers, NoMembers, KeyRequest, CreatedKeyView>(
    .post, "/v1/operator/keys", name: "createOperatorKey", summary: "Creates a key.", status: 201,
    answers: "The key, with its token, which is sent only once", callers: operators)
  static let revokeOperatorKey = Endpoint<OperatorKeyPath, NoMembers, NoMembers, NoContent>(
    .delete, "/v1/operator/keys/{id}", name: "revokeOperatorKey", summary: "Revokes a key for ever.", status: 204,
    answers: "Done", callers: operators)
  static let auditLog = Endpoint<NoMembers, AuditQuery, NoMembers, AuditList>(
    .get, "/v1/operator/audit", name: "auditLog", summary: "Lists the operators' changes, newest first.",
    answers: "A page of the log", callers: operators)
  static let backUp = Endpoint<NoMembers, NoMembers, NoMembers, BackupView>(
    .post, "/v1/operator/backups", name: "backUp",
    summary: "Writes a copy of a SQLite ledger beside it, while it is in use.", status: 201,
    answers: "The name of the copy", otherResponses: [OtherResponse(409, "notHere: the ledger is in PostgreSQL")],
    callers: operators)

  static let keys: [any DescribedEndpoint] = [operatorKeys, createOperatorKey, revokeOperatorKey, auditLog, backUp]
}

struct OperatorKeyPath: APIObject {
  let id: String
}

struct OperatorKeyList: APIObject {
  let keys: [OperatorKey]
  let next: PageCursor?

  static let notes: [String: MemberNote] = ["next": .nextPageAfter]
}

struct KeyRequest: APIObject {
  let name: String

  static let notes: [String: MemberNote] = [
    "name": .init("The holder's name in the audit log; at most 100 bytes.", minLength: 1, maxLength: 100)
  ]
}

struct CreatedKeyView: APIObject {
  let id: String
  let name: String
  let token: String

  static let schemaName = "CreatedOperatorKey"
}

struct AuditQuery: APIObject {
  let before: StoreDate?
  let beforeId: String?
  let limit: Int64?

  static let notes: [String: MemberNote] = [
    "before": "The date of the last entry of the page before.", "beforeId": "The id of that entry.",
    "limit": .pageLimit,
  ]
}

struct AuditList: APIObject {
  let entries: [AuditEntry]
}

struct BackupView: APIObject {
  let file: String
}

extension OperatorKey: APIObject {}
extension AuditEntry: APIObject {}
