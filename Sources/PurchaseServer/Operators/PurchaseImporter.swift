import Logging
import PurchaseLedger
import StoreModel

/// Verifies and redeems the rows of an operator's file.
struct PurchaseImporter: Sendable {
  let ledger: Ledger
  let verifier: ProofVerifier
  /// Nil if all customers are anonymous.
  let identity: CustomerIdentity?
  let metrics: ServiceMetrics
  let clock: any MachineClock

  /// The number of rows of a page about which the store is asked at once.
  static let rowsAtOnce = 8

  /// Why a row is refused as a whole.
  struct Refusal: Error {
    var column: String?
    let code: String
    let message: String
  }

  enum Outcome: Sendable {
    case results([ImportResultView])
    /// The store cannot be asked now, or does not know the purchase yet. Nothing was redeemed.
    case storeAway(seconds: Int)
    /// The store refuses to answer this server, until its configuration is corrected. Nothing was redeemed.
    case misconfigured(message: String)
  }

  /// A row whose proof was verified.
  struct VerifiedRow: Sendable {
    fileprivate enum Verification: Sendable {
      case verified(VerifiedProof, ImportedCustomer)
      case refused(Refusal)
      case storeAway(seconds: Int)
      case misconfigured(message: String)
    }

    let row: Int64
    fileprivate let verification: Verification
  }

  /// Verifies the proofs of several rows at once. Returns the rows in the same order.
  func verify(_ rows: ArraySlice<ImportRow>, app: BundleID) async -> [VerifiedRow] {
    await withTaskGroup(of: (Int, VerifiedRow).self) { group in
      for (place, row) in zip(rows.indices, rows) { group.addTask { (place, await verify(row, app: app)) } }
      return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  private func verify(_ row: ImportRow, app: BundleID) async -> VerifiedRow {
    do throws(Refusal) {
      let (customer, (proof, column)) = (try customer(of: row), try row.proof)
      do throws(ProofRefusal) {
        let requiresRequest = await verifier.requiresStoreRequest(about: proof, for: app, from: .administrator)
        let verified = try await verifier.verify(proof, for: app, from: .administrator)
        if requiresRequest { metrics.store.noteAnswer(about: app, at: clock.now) }
        return VerifiedRow(row: row.row, verification: .verified(verified, customer))
      } catch {
        switch error {
        case .storeUnavailable(let seconds), .purchaseNotKnownYet(let seconds):
          return VerifiedRow(row: row.row, verification: .storeAway(seconds: seconds))
        case .misconfigured:
          return VerifiedRow(row: row.row, verification: .misconfigured(message: error.description))
        default: throw Refusal(column: column, code: error.code, message: error.description)
        }
      }
    } catch {
      return VerifiedRow(row: row.row, verification: .refused(error))
    }
  }

  /// Redeems a verified row, or only says what its redemption would give.
  ///
  /// - Throws: `LedgerDatabaseError`, `CancellationError`, ``LedgerError/unknownApp(_:)``.
  func outcome(of row: VerifiedRow, applying: Bool) async throws -> Outcome {
    switch row.verification {
    case .storeAway(let seconds): return .storeAway(seconds: seconds)
    case .misconfigured(let message): return .misconfigured(message: message)
    case .refused(let refusal): return .results([ImportResultView(row.row, refusal)])
    case .verified(let proof, let customer):
      do {
        let imported =
          applying
          ? try await ledger.importPurchases(of: proof, for: customer)
          : try await ledger.previewImport(of: proof, for: customer)
        return .results(imported.results(of: row.row))
      } catch let error as LedgerError {
        guard let refusal = error.importRefusal(of: customer) else { throw error }
        return .results([ImportResultView(row.row, refusal)])
      }
    }
  }

  private func customer(of row: ImportRow) throws(Refusal) -> ImportedCustomer {
    switch (row.customer, row.subject) {
    case (let text?, nil):
      guard let id = CustomerID(text) else {
        throw Refusal(
          column: "customer", code: "malformedRow",
          message: "A customer's id is a UUID. Names of an identity system belong into the column subject.")
      }
      return .customer(id)
    case (nil, let subject?):
      guard let identity else {
        throw Refusal(
          column: "subject", code: "noIdentitySystem",
          message: "This server has no identity system. Configure identity, or name customers by their ids.")
      }
      if let message = SubjectText.refusal(of: subject) {
        throw Refusal(column: "subject", code: "malformedRow", message: message)
      }
      guard !identity.isName(subject) else {
        throw Refusal(
          column: "subject", code: "malformedRow",
          message: "Write the subject only: the server puts its issuer \(identity.issuer) before it.")
      }
      return .subject(identity.name(of: subject))
    default:
      throw Refusal(
        column: "customer", code: "malformedRow", message: "Give the customer or the subject, one of the two.")
    }
  }
}

extension ImportRow {
  /// The proof, and the column that has it.
  fileprivate var proof: (PurchaseProof, column: String) {
    get throws(PurchaseImporter.Refusal) {
      let columns = [
        ("appReceipt", appReceipt), ("legacyReceipt", legacyReceipt), ("signedTransaction", signedTransaction),
        ("transactionId", transactionId),
      ].filter { $0.1 != nil }.map(\.0)
      guard columns.count == 1, let column = columns.first else {
        throw PurchaseImporter.Refusal(
          column: columns.first, code: "malformedRow",
          message: "Give one proof: appReceipt, legacyReceipt, signedTransaction or transactionId.")
      }
      let request = ProofRequest(
        appReceipt: appReceipt, legacyReceipt: legacyReceipt, signedTransaction: signedTransaction,
        transactionId: transactionId)
      guard let proof = try? request.proof() else {
        let format =
          switch column {
          case "signedTransaction": "A signed transaction is a JWS, and not empty."
          case "transactionId": "A transaction id has 1 to 20 decimal digits."
          default: "A receipt is base64, and not empty."
          }
        throw PurchaseImporter.Refusal(column: column, code: "unreadableProof", message: format)
      }
      return (proof, column)
    }
  }
}

extension ImportedPurchases {
  fileprivate func results(of row: Int64) -> [ImportResultView] {
    guard !purchases.isEmpty else {
      return [
        ImportResultView(
          row: row, .refused, customer: customer, column: "appReceipt", code: "nothingToImport",
          message: "The receipt has no purchase that an import restores. Name a consumable by its own proof.")
      ]
    }
    // The periods of a subscription have one claim.
    var known: Set<TransactionID> = []
    return purchases.compactMap { purchase in
      switch purchase.outcome {
      case .given(let goods):
        guard known.insert(goods.claim).inserted else { return nil }
        return ImportResultView(
          row: row, goods.isNew ? .given : .givenBefore, customer: customer, transactionId: purchase.transactionID,
          claim: goods.claim, productId: purchase.productID)
      case .refused(let refusal):
        return ImportResultView(
          row: row, .refused, customer: customer, transactionId: purchase.transactionID,
          productId: purchase.productID, code: refusal.code, message: refusal.description)
      }
    }
  }
}

extension ImportResultView {
  fileprivate init(_ row: Int64, _ refusal: PurchaseImporter.Refusal) {
    self.init(row: row, .refused, column: refusal.column, code: refusal.code, message: refusal.message)
  }
}

extension LedgerError {
  /// The refusal of a row; nil for an error that all rows would have.
  fileprivate func importRefusal(of customer: ImportedCustomer) -> PurchaseImporter.Refusal? {
    switch self {
    case .unknownCustomer: PurchaseImporter.Refusal(column: "customer", code: "unknownCustomer", message: description)
    case .invalid: PurchaseImporter.Refusal(column: "subject", code: "malformedRow", message: description)
    case .amountOutOfRange: PurchaseImporter.Refusal(code: "amountOutOfRange", message: description)
    default: nil
    }
  }
}
