import APIDescription
import Foundation
import ProgramSupport
import PurchaseServer
import StoreModel

/// Sends the rows of a file to a purchase server, page by page, and reports each purchase.
struct ImportRun {
  let client: OperatorAPIClient
  let app: BundleID
  let applies: Bool
  let reason: String?
  /// The number of rows per second in the long run.
  let perSecond: Double
  let isJSON: Bool
  let console: CommandConsole
  var clock: any MachineClock = SystemClock()

  /// The number of times that a request without any progress is repeated.
  private static let retries = 8
  /// The pause before a request is repeated, in seconds, if the server names none.
  private static let usualPause = 5
  /// The maximum size of a page with more than one row, in bytes.
  private static let pageBytes = 1 << 20

  private struct Counts {
    var (rows, given, givenBefore, refused): (Int64, Int64, Int64, Int64) = (0, 0, 0, 0)
    /// The subjects of a dry run whose customers the import would create, as UTF-8: the server tells subjects apart that are equal as
    /// strings, such as composed and decomposed letters.
    var newSubjects: Set<[UInt8]> = []
  }

  /// Where a dry run has found a purchase.
  private struct Finding {
    let row: Int64
    /// As UTF-8.
    let customer: [UInt8]
  }

  /// Imports a file.
  ///
  /// - Parameter restarts: whether it begins with the first row, also if rows were imported before.
  /// - Throws: ``CommandFailure``.
  func run(_ file: ImportFile, restarts: Bool) async throws {
    var (file, counts) = (file, Counts())
    var found: [TransactionID: Finding] = [:]
    let first = applies && !restarts ? try await firstRow(of: file.digest) : 1
    var pending = try Self.next(of: &file, from: first)
    if pending == nil, first == 1 { throw CommandFailure.unusable("The file has no rows.") }
    while let next = pending {
      if case .end(let result) = next { throw try unreadableRest(result, &counts) }
      let began = clock.nanoseconds
      let (rows, malformed) = try page(of: &file, &pending)
      let count = Int64(rows.count + malformed.count)
      try report(malformed, &counts)
      let end = pending?.number ?? (((rows.map(\.row) + malformed.map(\.row)).max() ?? 0) + 1)
      try await send(rows, of: file.digest, until: end, isLast: pending == nil) { results in
        let compared = applies ? results : results.map { Self.compared($0, rows, &found) }
        if !applies { counts.newSubjects.formUnion(Self.newSubjects(compared, rows)) }
        try report(compared, &counts)
      }
      counts.rows += count
      console.showProgress?("row \(end - 1)")
      let left = Double(count) / perSecond - Double(clock.nanoseconds - began) / 1e9
      if left > 0, pending != nil { try await clock.sleep(for: .milliseconds(Int64(left * 1_000))) }
    }
    console.showProgress?("")
    try summarise(counts)
  }

  /// Reports that the rest of the file cannot be read. Its rows do not count as imported.
  private func unreadableRest(_ result: ImportResultView, _ counts: inout Counts) throws -> CommandFailure {
    console.showProgress?("")
    try report([result], &counts)
    return .refused(
      "Row \(result.row) has a quotation mark that is not closed. This row and all rows after it were not read"
        + (applies
          ? " and not imported. Correct it, and import the file again: nothing is given twice." : ". Correct it."))
  }

  private static func next(of file: inout ImportFile, from first: Int64) throws -> ImportFile.Row? {
    while let row = try file.next() {
      if case .end = row { return row }
      if row.number >= first { return row }
    }
    return nil
  }

  /// Returns the rows of the next page.
  private func page(
    of file: inout ImportFile, _ pending: inout ImportFile.Row?
  ) throws -> (rows: [ImportRow], malformed: [ImportResultView]) {
    var (rows, malformed): ([ImportRow], [ImportResultView]) = ([], [])
    var bytes = 0
    let most = min(max(Int(perSecond.rounded()), 1), ImportPage.mostRows)
    while let next = pending, rows.count + malformed.count < most {
      switch next {
      case .row(let row):
        bytes += row.bytes
        if !rows.isEmpty, bytes > Self.pageBytes { return (rows, malformed) }
        rows.append(row)
      case .malformed(let result): malformed.append(result)
      // The rows before it are imported first.
      case .end: return (rows, malformed)
      }
      pending = try file.next()
    }
    return (rows, malformed)
  }

  /// Returns the row with which the import goes on.
  private func firstRow(of digest: String) async throws -> Int64 {
    do {
      let progress: ImportProgressView = try await client.answer("GET", "\(path)/\(digest)")
      guard progress.finished == nil else {
        throw CommandFailure.refused(
          "The whole file was imported before. With --restart it is imported again, which gives nothing twice.")
      }
      if progress.nextRow > 1 { console.note("The import goes on with row \(progress.nextRow).") }
      return progress.nextRow
    } catch OperatorAPIClient.Failure.final(_, status: 404?) {
      return 1
    } catch let failure as OperatorAPIClient.Failure {
      throw CommandFailure.refused(failure.message.madeVisible(limit: 2_000))
    }
  }

  private var path: String { "apps/\(AddressText.segment(app.rawValue))/imports" }

  /// Sends the rows of a page, until the server has read all of them.
  private func send(
    _ rows: [ImportRow], of digest: String, until end: Int64, isLast: Bool,
    _ report: ([ImportResultView]) throws -> Void
  ) async throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    var (rest, failures) = (rows[...], 0)
    while true {
      let page = ImportPage(
        digest: digest, apply: applies, rows: Array(rest), nextRow: end, isLast: isLast, reason: reason)
      var (problem, pause) = ("The store cannot be asked now.", Self.usualPause)
      do {
        let answer: ImportReportView = try await client.answer("POST", path, try encoder.encode(page))
        try report(answer.results)
        if answer.nextRow >= end { return }
        let before = rest.count
        rest = rest.drop { $0.row < answer.nextRow }
        if rest.count < before { failures = 0 }
        guard let seconds = answer.retryAfterSeconds else { continue }
        pause = max(1, Int(clamping: seconds))
      } catch OperatorAPIClient.Failure.temporary(let message, let seconds) {
        (problem, pause) = (message, seconds ?? Self.usualPause)
      } catch let failure as OperatorAPIClient.Failure {
        throw CommandFailure.refused(failure.message.madeVisible(limit: 2_000))
      }
      failures += 1
      let row = rest.first?.row ?? end
      guard failures <= Self.retries else {
        throw CommandFailure.refused(
          "\(problem.madeVisible(limit: 2_000)) The import ends before row \(row)"
            + (applies ? "; the same command goes on there." : "."))
      }
      console.note("Row \(row): \(problem.madeVisible(limit: 500)) Next attempt in \(pause) s.")
      try await clock.sleep(for: .seconds(pause))
    }
  }

  /// In a dry run, nothing is written, so the server cannot see that two rows have one purchase. Then the import would refuse the
  /// second row, unless both have the same customer.
  private static func compared(
    _ result: ImportResultView, _ rows: [ImportRow], _ found: inout [TransactionID: Finding]
  ) -> ImportResultView {
    guard result.result == .given, let claim = result.claim else { return result }
    let subject = rows.first { $0.row == result.row }?.subject
    let customer = Array((result.customer.map { "\($0)" } ?? "subject \(subject ?? "")").utf8)
    guard let earlier = found[claim] else {
      found[claim] = Finding(row: result.row, customer: customer)
      return result
    }
    guard earlier.customer != customer else {
      return ImportResultView(
        row: result.row, .givenBefore, customer: result.customer, transactionId: result.transactionId, claim: claim,
        productId: result.productId)
    }
    return ImportResultView(
      row: result.row, .refused, customer: result.customer, transactionId: result.transactionId,
      productId: result.productId, code: "claimedByAnotherCustomer",
      message: "Row \(earlier.row) has the purchase for another customer. Remove the wrong row.")
  }

  /// Returns the subjects whose customers the import would create. The server does not name a customer who does not exist, and
  /// creates one who claims a purchase. A refunded purchase is claimed, too.
  private static func newSubjects(_ results: [ImportResultView], _ rows: [ImportRow]) -> [[UInt8]] {
    results.filter { $0.customer == nil && ($0.result == .given || $0.code == "refunded") }
      .compactMap { result in
        rows.first { $0.row == result.row }?.subject.map { Array($0.utf8) }
      }
  }

  private func report(_ results: [ImportResultView], _ counts: inout Counts) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    for result in results {
      switch result.result {
      case .given: counts.given += 1
      case .givenBefore: counts.givenBefore += 1
      case .refused: counts.refused += 1
      }
      if isJSON {
        try console.write(String(decoding: try encoder.encode(result), as: UTF8.self) + "\n")
      } else if result.result == .refused {
        console.showProgress?("")
        try console.write(lines: [result.line])
      }
    }
  }

  private func summarise(_ counts: Counts) throws {
    let new = counts.newSubjects.count
    if isJSON {
      let newCustomers = applies ? "" : "\"newCustomers\":\(new),"
      return try console.write(
        """
        {"applied":\(applies),"given":\(counts.given),"givenBefore":\(counts.givenBefore),\(newCustomers)\
        "refused":\(counts.refused),"rows":\(counts.rows)}

        """)
    }
    let given = applies ? "given" : "would be given"
    let sums =
      "\(counts.rows) rows. Purchases: \(counts.given) \(given), \(counts.givenBefore) given before, \(counts.refused) refused."
    guard !applies else { return try console.write(lines: [sums, "The file is imported."]) }
    try console.write(lines: [
      sums, "Customers who would be new: \(new).",
      "This was a dry run: nothing was written. --apply imports the file.",
    ])
  }
}

extension ImportRow {
  /// The size of the row's values.
  fileprivate var bytes: Int {
    [customer, subject, appReceipt, legacyReceipt, signedTransaction, transactionId]
      .reduce(0) { $0 + ($1?.utf8.count ?? 0) }
  }
}

extension ImportResultView {
  /// The line of a refusal in the report.
  fileprivate var line: String {
    let parts = [
      "row \(row)", column.map { "column \($0.madeVisible(limit: 100))" },
      transactionId.map { "transaction \($0.rawValue.visibleIdentifier)" },
      productId.map { "product \($0.rawValue.visibleIdentifier)" },
    ].compactMap(\.self)
    return "\(parts.joined(separator: ", ")): \((message ?? "").madeVisible(limit: 1_000)) (\(code ?? "refused"))"
  }
}

extension OperatorAPIClient.Failure {
  var message: String {
    switch self {
    case .temporary(let message, _), .final(let message, _): message
    }
  }
}
