import AppStoreEmulator
import Foundation
import SignedData
import StoreModel
import WebSupport

/// Shows the decoded signed data of a transaction: the signed transaction, the app receipt, the receipt of iOS 6.
struct SignedDataCards {
  let proofs: TransactionProofs

  func html() throws -> HTML {
    let receipts = try [appReceipt(), transactionReceipt()]
    return "<div class=\"doors\">\(try signedTransaction())\(receipts)</div>"
  }

  private func signedTransaction() throws -> HTML {
    let jws = try UnverifiedJWS(proofs.signedTransaction)
    let header = jws.contents.header
    let parts = proofs.signedTransaction.split(separator: ".", omittingEmptySubsequences: false)
    return """
      <section class="card"><h3>Signed transaction (JWS)</h3>
      <p class="small muted">What StoreKit 2, the server API and notifications carry. Algorithm \(header.algorithm).</p>
      \(CertificateList(id: "jws-chain", certificates: header.certificates).html)
      \(FoldedText(id: "jws-payload", title: "Payload", text: PrettyJSON.text(Data(jws.contents.payload))).html)
      \(FoldedText(id: "jws-header", title: "Header", text: Self.header(parts.first ?? "")).html)
      \(FoldedText(id: "jws", title: "The whole JWS", text: proofs.signedTransaction).html)
      </section>
      """
  }

  private static func header(_ encoded: Substring) -> String {
    let base64 = encoded.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - base64.count % 4) % 4)
    return PrettyJSON.text(Data(base64Encoded: base64 + padding) ?? Data())
  }

  private func appReceipt() throws -> HTML {
    let (data, installation) = (proofs.appReceipt, proofs.basis.installation)
    let decoded = try UnverifiedAppReceipt(data)
    let receipt = decoded.receipt
    let id = proofs.basis.stored.record.transactionID
    let isListed = receipt.inAppPurchases.contains { $0.transactionID == id }
    var details = DetailList()
    if proofs.basis.isInstallationInvented {
      details.add("Made for", text: "a device made up for it: the customer is signed in on none with this app")
    } else {
      details.add("Made for", chosen: installation.installationID.rawValue)
    }
    details.add("Type", text: receipt.receiptType)
    details.add("App", chosen: receipt.bundleID.rawValue)
    details.add("Version", chosen: receipt.applicationVersion)
    details.add("Created", receipt.creationDate.html)
    details.add("First version", chosen: receipt.originalApplicationVersion)
    details.add("Purchases", text: "\(receipt.inAppPurchases.count)")
    details.add("This one", text: isListed ? "is in it" : "is not in it: a consumable leaves it when it is finished")
    return """
      <section class="card"><h3>App receipt</h3>
      <p class="small muted">As the device would have it if it asked now.</p>
      \(details.html)\(CertificateList(id: "receipt-chain", certificates: decoded.certificates).html)
      \(FoldedText(id: "receipt-purchases", title: "In-app purchases", text: try Self.purchases(receipt)).html)
      \(FoldedText(id: "receipt", title: "The receipt in base64", text: data.base64EncodedString()).html)
      </section>
      """
  }

  /// The fields of a purchase in a receipt, with the names of `verifyReceipt`.
  private struct ListedPurchase: Encodable {
    let quantity: Int
    let productId: ProductID
    let transactionId: TransactionID
    let originalTransactionId: TransactionID
    let purchaseDate: String
    let originalPurchaseDate: String
    let expiresDate: String?
    let cancellationDate: String?
  }

  /// Shows only the newest 50 purchases.
  private static func purchases(_ receipt: AppReceipt) throws -> String {
    let sorted = receipt.inAppPurchases.sorted {
      ($0.purchaseDate, $0.transactionID.rawValue) > ($1.purchaseDate, $1.transactionID.rawValue)
    }
    let shown = sorted.prefix(50).map {
      ListedPurchase(
        quantity: $0.quantity, productId: $0.productID, transactionId: $0.transactionID,
        originalTransactionId: $0.originalTransactionID, purchaseDate: $0.purchaseDate.description,
        originalPurchaseDate: $0.originalPurchaseDate.description, expiresDate: $0.expiresDate?.description,
        cancellationDate: $0.cancellationDate?.description)
    }
    let rest = sorted.count > shown.count ? "\nand \(sorted.count - shown.count) earlier ones" : ""
    return try PrettyJSON.text(shown, keys: .convertToSnakeCase) + rest
  }

  private func transactionReceipt() throws -> HTML {
    let data = proofs.legacyReceipt
    let decoded = try UnverifiedLegacyReceipt(data)
    let fields = decoded.receipt.fields.map { "\($0.key) = \($0.value)" }.joined(separator: "\n")
    return """
      <section class="card"><h3>Receipt of iOS 6</h3>
      <p class="small muted">SKPaymentTransaction.transactionReceipt: a signed property list of this one purchase, signature version \
      \(decoded.signatureVersion).</p>
      \(CertificateList(id: "legacy-chain", certificates: [decoded.certificate]).html)
      \(FoldedText(id: "legacy-fields", title: "What is signed", text: fields).html)
      \(FoldedText(id: "legacy", title: "The receipt as it is", text: String(decoding: data, as: UTF8.self)).html)
      </section>
      """
  }
}

/// Shows a certificate chain, the signer's certificate first: the names, and the collapsed details.
struct CertificateList {
  /// An id that is unique on the page.
  let id: String
  let certificates: [[UInt8]]

  var html: HTML {
    let summaries = certificates.map { CertificateSummary($0) }
    let names = summaries.map { $0?.name ?? "a certificate that cannot be read" }.joined(separator: " ← ")
    return """
      <p class="small chain-names">Signed by \(HTML.name(names))</p>
      <details id="\(id)"><summary>Certificates (\(certificates.count))</summary><ol class="chain">\(summaries.map(item))</ol></details>
      """
  }

  private func item(_ summary: CertificateSummary?) -> HTML {
    guard let summary else { return "<li>A certificate that cannot be read.</li>" }
    return """
      <li>\(HTML.name(summary.subject))\(" <span class=\"badge\">root</span>", if: summary.isSelfIssued)\
      <span class="sub muted small">issued by \(HTML.name(summary.issuer))</span>\
      <span class="sub muted small">\(summary.notBefore) to \(summary.notAfter)</span>\
      <span class="sub muted small mono">SHA-256 \(summary.fingerprint.description)</span></li>
      """
  }
}
