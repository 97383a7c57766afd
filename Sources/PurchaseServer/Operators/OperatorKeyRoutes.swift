import Foundation
import WebSupport
import HTTPTypes
import Hummingbird
import PurchaseLedger
import StoreModel

/// The endpoints for operator keys, the audit log and backups.
struct OperatorKeyRoutes: Sendable {
  let ledger: Ledger
  let door: OperatorAuthentication
  /// Writes a copy of the ledger; nil if the database is backed up by other means.
  let backUp: (@Sendable () async throws -> String)?

  private struct KeyOrder: Decodable, Sendable {
    let name: String
  }

  private struct CreatedKeyView: Encodable, Sendable {
    let id: String
    let name: String
    /// The secret key. It is returned only here.
    let token: String
  }

  func add(to operators: RouterGroup<ServiceContext>) {
    let (ledger, door, backUp) = (ledger, door, backUp)
    operators.get("keys") { request, _ in
      _ = try await door.identity(request)
      return try Response.json(["keys": try await ledger.operatorKeys()])
    }
    operators.post("keys") { request, _ in
      let who = try await door.identity(request)
      let order = try await request.decoded(KeyOrder.self, keys: ["name"], upTo: 4096)
      let key = try await ledger.createOperatorKey(name: order.name, by: who.name)
      return try Response.json(
        CreatedKeyView(id: key.identity.id, name: key.identity.name, token: key.token.text), status: .created)
    }
    operators.delete("keys/{id}") { request, context in
      let who = try await door.identity(request)
      do {
        try await ledger.revokeOperatorKey(id: try context.pathParameter("id"), by: who.name)
      } catch LedgerError.unknownOperatorKey {
        // A 404, because the 401 for this error would mean that the caller's own key is not valid.
        throw ErrorResponse(.notFound, "unknownKey", "There is no operator's key with this id.")
      }
      return Response(status: .noContent)
    }
    operators.get("audit") { request, _ in
      _ = try await door.identity(request)
      try request.expectQuery(["before", "beforeId", "limit"])
      let limit = Int(try request.number("limit") ?? 100)
      let before = try request.number("before").map { StoreDate(millisecondsSince1970: $0) }
      let entries = try await ledger.auditLog(
        before: before, beforeID: request.uri.queryParameters["beforeId"].map(String.init), limit: limit)
      return try Response.json(["entries": entries])
    }
    operators.post("backups") { request, _ in
      _ = try await door.identity(request)
      guard let backUp else {
        throw ErrorResponse(
          .conflict, "notHere", "This ledger is in PostgreSQL; back it up with PostgreSQL's own tools (pg_dump).")
      }
      return try Response.json(["file": try await backUp()], status: .created)
    }
  }
}
