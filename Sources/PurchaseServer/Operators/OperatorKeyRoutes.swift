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
    router.serve(ServiceEndpoints.operatorKeys, for: authentication.identity) { request, _ in
      let page = try await ledger.operatorKeys(after: request.query.after?.key, limit: request.query.count)
      return OperatorKeyList(keys: page.elements, next: page.next.map(PageCursor.init))
    }
    router.serve(ServiceEndpoints.createOperatorKey, bodyLimit: 4096, for: authentication.identity) {
      request, identity in
      let key = try await ledger.createOperatorKey(name: request.body.name, by: identity.name)
      return CreatedKeyView(id: key.identity.id, name: key.identity.name, token: key.token.text)
    }
    router.serve(ServiceEndpoints.revokeOperatorKey, for: authentication.identity) { request, identity in
      do {
        try await ledger.revokeOperatorKey(id: request.path.id, by: identity.name)
      } catch LedgerError.unknownOperatorKey {
        // The status is 404, because the usual 401 would mean that the caller's own key is not valid.
        throw ErrorResponse(.notFound, "unknownKey", "There is no operator's key with this id.")
      }
      return NoContent()
    }
    router.serve(ServiceEndpoints.auditLog, for: authentication.identity) { request, _ in
      let query = request.query
      return AuditList(
        entries: try await ledger.auditLog(
          before: query.before, beforeID: query.beforeId, limit: Int(query.limit ?? 100)))
    }
    router.serve(ServiceEndpoints.backUp, for: authentication.identity) { _, _ in
      guard let backUp else {
        throw ErrorResponse(
          .conflict, "notHere", "This ledger is in PostgreSQL; back it up with PostgreSQL's own tools (pg_dump).")
      }
      return BackupView(file: try await backUp())
    }
  }
}
