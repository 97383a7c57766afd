import APIDescription
import Foundation
import Hummingbird
import PurchaseLedger
import StoreModel
import WebSupport

/// The endpoints for operator keys, the audit log and backups.
struct OperatorKeyRoutes: Sendable {
  let ledger: Ledger
  let authentication: OperatorAuthentication
  /// Writes a copy of the ledger; nil if the database is backed up by other means.
  let backUp: (@Sendable () async throws -> String)?

  func add(to router: Router<ServiceContext>) {
    let (ledger, authentication, backUp) = (ledger, authentication, backUp)
    router.serve(ServiceEndpoints.operatorSelf, for: authentication) { _, identity in
      OperatorView(name: identity.name, role: identity.role)
    }
    router.serve(ServiceEndpoints.operatorKeys, for: authentication) { request, _ in
      let query = request.query
      let page = try await ledger.operatorKeys(
        query.order ?? .oldest, after: query.after?.key, limit: PageQuery(limit: query.limit).count)
      return OperatorKeyList(keys: page.elements, next: page.next.map(PageCursor.init))
    }
    router.serve(ServiceEndpoints.createOperatorKey, bodyLimit: 4096, for: authentication) {
      request, identity in
      let body = request.body
      try OperatorReason.check(body.reason)
      let key = try await ledger.createOperatorKey(
        name: body.name, role: body.role ?? .admin, by: identity, reason: body.reason)
      return CreatedKeyView(
        id: key.identity.id, name: key.identity.name, role: key.identity.role, token: key.token.text)
    }
    router.serve(ServiceEndpoints.revokeOperatorKey, for: authentication) { request, identity in
      try OperatorReason.check(request.query.reason)
      do {
        try await ledger.revokeOperatorKey(
          id: request.path.id, by: identity.name, reason: request.query.reason)
      } catch LedgerError.unknownOperatorKey {
        // The status is 404, because the usual 401 would mean that the caller's own key is not valid.
        throw ErrorResponse(.notFound, "unknownKey", "There is no operator's key with this id.")
      }
      return NoContent()
    }
    router.serve(ServiceEndpoints.auditLog, for: authentication) { request, _ in
      let query = request.query
      return AuditList(
        entries: try await ledger.auditLog(
          before: query.before, beforeID: query.beforeId, limit: query.count))
    }
    router.serve(ServiceEndpoints.backUp, for: authentication) { request, identity in
      try OperatorReason.check(request.body.reason)
      guard let backUp else {
        throw ErrorResponse(
          .conflict, "notHere", "This ledger is in PostgreSQL; back it up with PostgreSQL's own tools (pg_dump).")
      }
      let file = try await backUp()
      try await ledger.record("backUp", subject: "ledger", file, by: identity.name, reason: request.body.reason)
      return BackupView(file: file)
    }
  }
}
