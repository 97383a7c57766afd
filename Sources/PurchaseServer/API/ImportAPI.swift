import APIDescription
import PurchaseLedger
import StoreModel

extension ServiceEndpoints {
  static let importPurchases = OperatorEndpoint<AppPath, NoMembers, ImportPage, ImportReportView>(
    .post, "/v1/operator/apps/{bundleId}/imports", role: .admin, name: "importPurchases",
    summary:
      "Redeems purchases of an operator's file for the customers whom the file names. Without apply, nothing is written. A repeated request gives nothing more.",
    answers: "The result of each purchase. Rows from nextRow on were not read: send them again",
    otherResponses: [OtherResponse(503, "misconfigured: the store refuses to answer this server; the message says why")]
  )
  static let importProgress = OperatorEndpoint<ImportPath, NoMembers, NoMembers, ImportProgressView>(
    .get, "/v1/operator/apps/{bundleId}/imports/{digest}", role: .admin, name: "importProgress",
    summary: "Returns how far a file was imported.", answers: "Where the import goes on",
    otherResponses: [OtherResponse(404, "unknownImport: no row of the file was imported")])

  static let imports: [any DescribedEndpoint] = [importPurchases, importProgress]
}

struct ImportPath: APIObject {
  let bundleId: BundleID
  let digest: DigestText
}

/// A page of the rows of a file.
package struct ImportPage: APIObject {
  /// The maximum number of rows of a page.
  package static let mostRows = 100

  package let digest: String
  package let apply: Bool
  package let rows: [ImportRow]
  package let nextRow: Int64
  package let isLast: Bool
  package let reason: String?

  package init(digest: String, apply: Bool, rows: [ImportRow], nextRow: Int64, isLast: Bool, reason: String?) {
    self.digest = digest
    self.apply = apply
    self.rows = rows
    self.nextRow = nextRow
    self.isLast = isLast
    self.reason = reason
  }

  package static let notes: [String: MemberNote] = [
    "digest": .init("The SHA-256 of the file.", pattern: SHA256Text.pattern),
    "apply": "false for a dry run.",
    "rows": .init("In ascending order.", maxItems: ImportPage.mostRows),
    "nextRow": .init("The row of the file after this page.", minimum: 1),
    "isLast": "Whether the file has no rows after this page.", "reason": .reason,
  ]
}

/// A row of a file: a customer, and a proof of purchases. The server checks the values, so that a wrong one does not refuse the
/// other rows of its page.
package struct ImportRow: APIObject {
  package let row: Int64
  package let customer: String?
  package let subject: String?
  package let appReceipt: String?
  package let legacyReceipt: String?
  package let signedTransaction: String?
  package let transactionId: String?

  /// - Parameter values: the values by their columns, which are members of this type.
  package init(row: Int64, values: [String: String]) {
    self.row = row
    customer = values["customer"]
    subject = values["subject"]
    appReceipt = values["appReceipt"]
    legacyReceipt = values["legacyReceipt"]
    signedTransaction = values["signedTransaction"]
    transactionId = values["transactionId"]
  }

  /// The columns of a file.
  package static let columns = [
    "customer", "subject", "appReceipt", "legacyReceipt", "signedTransaction", "transactionId",
  ]

  package static let schemaDescription: String? =
    "Exactly one of customer and subject, and exactly one of the four proofs."
  package static let notes: [String: MemberNote] = [
    "row": .init("The number of the row in the file, for the report.", minimum: 1),
    "customer": "The customer's id.",
    "subject":
      "The customer's `sub` in the identity system that is configured, without its issuer, blanks around it and invisible characters.",
    "appReceipt": "The app receipt in base64. Its consumables are not imported.",
    "legacyReceipt": "A transactionReceipt in base64.", "signedTransaction": "A JWS.",
    "transactionId": "Needs the verification method serverAPI.",
  ]
}

package struct ImportReportView: APIObject {
  package let results: [ImportResultView]
  package let nextRow: Int64
  package let retryAfterSeconds: Int64?

  package static let schemaName = "ImportReport"
  package static let notes: [String: MemberNote] = [
    "nextRow": "The first row that was not read.",
    "retryAfterSeconds":
      "Set if the store could not be asked about the row nextRow: the pause before the next request.",
  ]
}

/// The result of one purchase, or of a row that was refused as a whole.
package struct ImportResultView: APIObject {
  package enum Verdict: String, CaseIterable, APIValue {
    case given, givenBefore, refused

    package static var componentName: String? { "ImportVerdict" }
  }

  package let row: Int64
  package let result: Verdict
  package var customer: CustomerID?
  package var transactionId: TransactionID?
  package var claim: TransactionID?
  package var productId: ProductID?
  package var column: String?
  package var code: String?
  package var message: String?

  package init(
    row: Int64, _ result: Verdict, customer: CustomerID? = nil, transactionId: TransactionID? = nil,
    claim: TransactionID? = nil, productId: ProductID? = nil, column: String? = nil, code: String? = nil,
    message: String? = nil
  ) {
    self.row = row
    self.result = result
    self.customer = customer
    self.transactionId = transactionId
    self.claim = claim
    self.productId = productId
    self.column = column
    self.code = code
    self.message = message
  }

  package static let schemaName = "ImportResult"
  package static let notes: [String: MemberNote] = [
    "result": "In a dry run: what would happen now.",
    "customer": "Missing if a dry run does not know the customer yet.",
    "transactionId": "Missing if the whole row was refused.",
    "claim": "The id under which the purchase was claimed: the transaction id, or the original transaction id.",
    "column": "The column of the row that has to be corrected.",
    "code": "Why nothing was given, for programs.", "message": "Why nothing was given, and what to do.",
  ]
}

package struct ImportProgressView: APIObject {
  package let nextRow: Int64
  package let started: StoreDate
  package let finished: StoreDate?

  package static let schemaName = "ImportProgress"
  package static let notes: [String: MemberNote] = [
    "nextRow": "The first row that was not imported.", "finished": "Missing if rows are left.",
  ]
}
