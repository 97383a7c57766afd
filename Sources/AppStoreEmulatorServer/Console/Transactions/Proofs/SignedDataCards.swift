import AppStoreEmulator
import SignedData
import StoreModel
import WebSupport

/// Shows the decoded signed data of a transaction: the signed transaction, the app receipt, the receipt of iOS 6.
struct SignedDataCards {
  let proofs: TransactionProofs
  let files: TransactionFiles

  /// The maximum number of purchases of a receipt that the page lists.
  private static let largestList = 50

  func html() throws -> HTML {
    let receipts = try [appReceipt(), transactionReceipt()]
    return "<div class=\"responses\">\(try signedTransaction())\(receipts)</div>"
  }

  private func signedTransaction() throws -> HTML {
    let jws = try UnverifiedJWS(proofs.signedTransaction)
    let header = jws.contents.header
    return """
      <section class="card"><h3>Signed transaction (JWS)</h3>
      <p class="small muted">What StoreKit 2, the server API and notifications carry. Algorithm \(header.algorithm).</p>
      \(CertificateList(id: "jws-chain", certificates: header.certificates).html)
      \(try files.folded(.jwsPayload))
      \(try files.folded(.jwsHeader))
      \(try files.folded(.jws))
      </section>
      """
  }

  private func appReceipt() throws -> HTML {
    let installation = proofs.basis.installation
    let decoded = try UnverifiedAppReceipt(proofs.appReceipt)
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
      \(try files.folded(.receiptPurchases, purchases: Self.largestList))
      \(try files.folded(.receipt))
      </section>
      """
  }

  private func transactionReceipt() throws -> HTML {
    let decoded = try UnverifiedLegacyReceipt(proofs.legacyReceipt)
    return """
      <section class="card"><h3>Receipt of iOS 6</h3>
      <p class="small muted">SKPaymentTransaction.transactionReceipt: a signed property list of this one purchase, signature version \
      \(decoded.signatureVersion).</p>
      \(CertificateList(id: "legacy-chain", certificates: [decoded.certificate]).html)
      \(try files.folded(.legacyFields))
      \(try files.folded(.legacy))
      </section>
      """
  }
}
