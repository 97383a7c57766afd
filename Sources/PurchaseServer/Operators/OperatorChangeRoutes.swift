import APIDescription
import Foundation
import Hummingbird
import PurchaseLedger

/// The operators' export of everything that has changed.
struct OperatorChangeRoutes: Sendable {
  let ledger: Ledger
  let authentication: OperatorAuthentication
  let exports: CustomerExports

  /// The number of bytes that are sent together.
  private static let pieceBytes = 65_536

  func add(to router: Router<ServiceContext>) {
    let (ledger, exports) = (ledger, exports)
    router.serve(raw: ServiceEndpoints.ledgerChanges, for: authentication) { request, _ in
      let query = request.query
      let page = try await ledger.events(
        after: try query.after.map { try LedgerEventCursor(key: $0.key) }, limit: query.count,
        app: query.app)
      return exports.stream(
        [.contentType: "application/x-ndjson", .nextCursor: PageCursor(key: page.next.key).text], to: request.request,
        request.context
      ) { send in
        var piece = Data()
        for event in page.events {
          piece.append(try event.line)
          guard piece.count >= Self.pieceBytes else { continue }
          try await send(piece)
          piece = Data()
        }
        if !piece.isEmpty { try await send(piece) }
      }
    }
  }
}
