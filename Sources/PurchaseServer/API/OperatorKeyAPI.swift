import APIDescription
import PurchaseLedger
import StoreModel

extension ServiceEndpoints {
  static let operatorSelf = OperatorEndpoint<NoMembers, NoMembers, NoMembers, OperatorView>(
    .get, "/v1/operator/self", role: .read, name: "operatorSelf",
    summary: "Returns the holder of the key that is sent.",
    answers: "The holder, and the key's role")
  static let operatorKeys = OperatorEndpoint<NoMembers, KeyQuery, NoMembers, OperatorKeyList>(
    .get, "/v1/operator/keys", role: .read, name: "operatorKeys",
    summary: "Lists all keys, also revoked ones, without their secrets.", answers: "A page of the keys")
  static let createOperatorKey = OperatorEndpoint<NoMembers, NoMembers, KeyRequest, CreatedKeyView>(
    .post, "/v1/operator/keys", role: .admin, name: "createOperatorKey",
    summary: "Creates a key, with the role of the creator's key or a lower one.", status: 201,
    answers: "The key, with its token, which is sent only once")
  static let revokeOperatorKey = OperatorEndpoint<OperatorKeyPath, ReasonQuery, NoMembers, NoContent>(
    .delete, "/v1/operator/keys/{id}", role: .admin, name: "revokeOperatorKey",
    summary: "Revokes a key for ever, and ends its sessions.",
    status: 204, answers: "Done",
    otherResponses: [OtherResponse(409, "lastAdminKey: no other key has the role admin")])
  static let auditLog = OperatorEndpoint<NoMembers, AuditQuery, NoMembers, AuditList>(
    .get, "/v1/operator/audit", role: .read, name: "auditLog", summary: "Lists the operators' changes, newest first.",
    answers: "A page of the log")
  static let backUp = OperatorEndpoint<NoMembers, NoMembers, OptionalReason, BackupView>(
    .post, "/v1/operator/backups", role: .admin, name: "backUp",
    summary: "Writes a copy of a SQLite ledger beside it, while it is in use.", status: 201,
    answers: "The name of the copy", otherResponses: [OtherResponse(409, "notHere: the ledger is in PostgreSQL")])

  static let keys: [any DescribedEndpoint] = [
    operatorSelf, operatorKeys, createOperatorKey, revokeOperatorKey, auditLog, backUp,
  ]
}

struct OperatorView: APIObject {
  let name: String
  let role: OperatorRole

  static let schemaName = "Operator"
}

struct KeyQuery: APIObject {
  let order: ListOrder?
  let after: PageCursor?
  let limit: Int64?

  static let notes: [String: MemberNote] = [
    "order": .init("By the date of creation.", defaultValue: .string(ListOrder.oldest.rawValue)),
    "after": "`next` of the page before, in the same order.", "limit": PageQuery.limitNote,
  ]
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
  let role: OperatorRole?
  let reason: String?

  static let notes: [String: MemberNote] = [
    "name": .init("The holder's name in the audit log; at most 100 bytes.", minLength: 1, maxLength: 100),
    "role": .init(defaultValue: .string(OperatorRole.admin.rawValue)), "reason": .reason,
  ]
}

struct CreatedKeyView: APIObject {
  let id: String
  let name: String
  let role: OperatorRole
  let token: String

  static let schemaName = "CreatedOperatorKey"
}

struct AuditQuery: ListQuery {
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
