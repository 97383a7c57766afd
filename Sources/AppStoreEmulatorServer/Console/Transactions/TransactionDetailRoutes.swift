import AppStoreEmulator
import Hummingbird
import StoreModel
import WebSupport

/// The routes of a transaction's page and of its files.
struct TransactionDetailRoutes: Sendable {
  let console: ConsoleContext
  let proofCache: ProofCache

  /// The maximum number of transactions in a receipt that a page shows. Larger receipts take seconds to sign and to
  /// read.
  static let largestReceipt = 500

  func add(to router: Router<EmulatorRequestContext>) {
    router.get("/console/transactions/{id}") { request, context in
      try await console.answering(in: .transactions, for: request) { try await page(Self.id(context), request) }
    }
    router.get("/console/transactions/{id}/files/{file}") { request, context in
      try BrowserOrigin.check(request)
      return try await console.answering(in: .transactions, for: request) {
        let name = try context.pathParameter("file")
        guard let file = TransactionFile(rawValue: name) else {
          throw PageRefusal(.notFound, "A transaction has no file \(name).")
        }
        return try await download(file, of: Self.id(context))
      }
    }
  }

  private static func id(_ context: EmulatorRequestContext) throws -> TransactionID {
    let text = try context.pathParameter("id")
    guard let id = TransactionID(rawValue: text) else {
      throw PageRefusal(.notFound, "\(text) is no transaction id; those are decimal digits.")
    }
    return id
  }

  private func page(_ id: TransactionID, _ request: Request) async throws -> Response {
    let tab = try AddressQuery(request).word("tab", TransactionTab.allCases) ?? .details
    let details = try await console.store.transaction(id)
    let record = details.stored.record
    let names = try await ProductNames(of: [(record.bundleID, record.productID)], in: console.store)
    let page = TransactionDetailPage(
      stored: details.stored, tab: tab, content: try await content(tab, details, names),
      refundRequests: try await console.store.refundRequests(of: record.transactionID), names: names,
      calls: console.calls(for: request))
    return console.page(page.title, in: .transactions, for: request, page.html)
  }

  /// The content of a tab. Only this tab's data are computed.
  private func content(_ tab: TransactionTab, _ details: TransactionDetails, _ names: ProductNames) async throws -> HTML
  {
    let record = details.stored.record
    switch tab {
    case .details:
      return TransactionProperties(
        stored: details.stored, subscription: try await console.store.subscription(of: record), names: names
      ).html
    case .timeline:
      return TimelineList(entries: try await console.store.timeline(of: record.transactionID)).html
    case .responses:
      let signed = try await signed(record.transactionID)
      let files = TransactionFiles(stored: details.stored, signed: signed)
      let cards = try EndpointCards(details: details, files: files).html()
      return signed == nil ? "\(Self.tooLarge(record.transactionID))\(cards)" : cards
    case .signed:
      guard let signed = try await signed(record.transactionID) else { return Self.tooLarge(record.transactionID) }
      let files = TransactionFiles(stored: details.stored, signed: signed)
      return try SignedDataCards(proofs: signed.proofs, files: files).html()
    }
  }

  private func download(_ file: TransactionFile, of id: TransactionID) async throws -> Response {
    let stored = try await console.store.transaction(id).stored
    let id = stored.record.transactionID
    let signed = file.isSigned ? try await signed(id) : nil
    guard let text = try TransactionFiles(stored: stored, signed: signed).text(file) else {
      throw PageRefusal(.conflict, Self.tooLargeText(id))
    }
    return .attachment(
      file.fileName(of: id), contentType: file.contentType(of: id), ByteBuffer(string: text))
  }

  /// The signed data of a transaction and the answers of the APIs; nil if the customer's app receipt lists more than
  /// ``largestReceipt`` transactions.
  private func signed(_ id: TransactionID) async throws -> (proofs: TransactionProofs, answers: ProofAnswers)? {
    let count = try await console.store.listedCount(of: id)
    return count > Self.largestReceipt ? nil : try await proofCache.proofs(of: id)
  }

  private static func tooLarge(_ id: TransactionID) -> HTML { "<p class=\"card\">\(tooLargeText(id))</p>" }

  private static func tooLargeText(_ id: TransactionID) -> String {
    "The customer’s app receipt lists more than \(largestReceipt) transactions, too many for a page. "
      + "The control API returns it: GET /control/v1/transactions/\(id)/proofs"
  }
}
