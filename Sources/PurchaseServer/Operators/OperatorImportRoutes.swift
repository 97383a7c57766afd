import APIDescription
import Hummingbird
import PurchaseLedger
import StoreModel
import WebSupport

/// The operator's endpoints to import purchases of another system.
struct OperatorImportRoutes: Sendable {
  let importer: PurchaseImporter
  let authentication: OperatorAuthentication
  /// The time after which no further rows are read for a request, in seconds. The request's own limit must be longer: the
  /// verification of the rows that are read can take as long as the policy's time limit.
  let seconds: Int
  let clock: any MachineClock

  func add(to router: Router<ServiceContext>) {
    let ledger = importer.ledger
    router.serve(ServiceEndpoints.importPurchases, bodyLimit: BodyLimit.receipt, for: authentication) {
      request, identity in
      let (app, page) = (request.path.bundleId, request.body)
      try OperatorReason.check(page.reason)
      try page.check()
      try ledger.check(app)
      if page.apply {
        try await ledger.beginImport(
          of: page.digest, app: app, at: page.rows.first?.row ?? page.nextRow, by: identity.name, reason: page.reason)
      }
      let report = try await report(on: page, app: app)
      if page.apply {
        try await ledger.advanceImport(
          of: page.digest, app: app, to: report.nextRow, isFinished: page.isLast && report.nextRow == page.nextRow,
          by: identity.name)
      }
      return report
    }
    router.serve(ServiceEndpoints.importProgress, for: authentication) { request, _ in
      let progress = try await ledger.importProgress(of: request.path.digest.rawValue, app: request.path.bundleId)
      guard let progress else {
        throw ErrorResponse(.notFound, "unknownImport", "No row of a file with this digest was imported.")
      }
      return ImportProgressView(nextRow: progress.nextRow, started: progress.started, finished: progress.finished)
    }
  }

  /// Imports the rows in their order, so that the first of two rows with one purchase gets it.
  private func report(on page: ImportPage, app: BundleID) async throws -> ImportReportView {
    let end = clock.nanoseconds + Int64(seconds) * 1_000_000_000
    var results: [ImportResultView] = []
    for start in stride(from: 0, to: page.rows.count, by: PurchaseImporter.rowsAtOnce) {
      if start > 0, Task.isCancelled || clock.nanoseconds >= end {
        return ImportReportView(results: results, nextRow: page.rows[start].row, retryAfterSeconds: nil)
      }
      let rows = page.rows[start..<min(start + PurchaseImporter.rowsAtOnce, page.rows.count)]
      for row in await importer.verify(rows, app: app) {
        switch try await importer.outcome(of: row, applying: page.apply) {
        case .results(let new): results += new
        case .storeAway(let seconds):
          return ImportReportView(results: results, nextRow: row.row, retryAfterSeconds: Int64(seconds))
        case .misconfigured(let message):
          // The results of earlier rows are sent first. The next request begins with this row.
          guard results.isEmpty else {
            return ImportReportView(results: results, nextRow: row.row, retryAfterSeconds: nil)
          }
          throw ErrorResponse(.serviceUnavailable, "misconfigured", message)
        }
      }
    }
    return ImportReportView(results: results, nextRow: page.nextRow, retryAfterSeconds: nil)
  }
}

extension ImportPage {
  /// - Throws: ``ErrorResponse``.
  fileprivate func check() throws(ErrorResponse) {
    guard rows.count <= Self.mostRows else {
      throw ErrorResponse(.badRequest, "malformedRequest", "A page has at most \(Self.mostRows) rows.")
    }
    let numbers = rows.map(\.row) + [nextRow]
    guard numbers.allSatisfy({ $0 >= 1 }), zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw ErrorResponse(
        .badRequest, "malformedRequest", "The rows have ascending numbers from 1 on, and nextRow is the highest.")
    }
    guard SHA256Text.isDigest(digest) else {
      throw ErrorResponse(.badRequest, "malformedRequest", "digest is 64 hexadecimal digits in lower case.")
    }
  }
}
