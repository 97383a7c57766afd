import SignedData
import StoreModel

extension ReceiptReport {
  /// The report as text, at most 100 columns wide unless a word is longer. Text from the input is escaped.
  var text: String {
    var sections = [headLines]
    sections.append(warnings.flatMap { LabeledRows.broken("warning: \($0)", columns: TextTable.maximumColumns) })
    if let contents {
      switch contents {
      case .appReceipt(let receipt):
        sections.append(Self.purchaseLines(receipt.receipt.inAppPurchases.map(ListedPurchase.init)))
      case .legacyReceipt(let receipt): sections.append(Self.purchaseLines([ListedPurchase(receipt.receipt)]))
      case .payload(let payload): sections.append(Self.payloadLines(payload))
      }
      sections.append(certificateLines)
    }
    return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }

  private var headLines: [String] {
    var rows = LabeledRows()
    rows.add("kind", kind.title)
    addVerdict(to: &rows)
    switch contents {
    case .appReceipt(let receipt): Self.add(receipt.receipt, to: &rows)
    case .legacyReceipt(let receipt): Self.add(receipt, to: &rows)
    case .payload(let payload): Self.add(payload, to: &rows)
    case nil: break
    }
    if let device {
      let answer = isIssuedToDevice.map { $0 ? "issued to" : "not issued to" } ?? "cannot be compared with"
      rows.add("device", "\(answer) \(device)")
    } else if contents != nil {
      rows.add("device", "not compared; name one with verify --device")
    }
    rows.add("signature", contents?.signatureAlgorithm.madeVisible(limit: 100))
    return rows.lines
  }

  private func addVerdict(to rows: inout LabeledRows) {
    switch verdict {
    case .unchecked:
      rows.add("verdict", "not verified: anyone could have written these contents")
    case .verified(let anchor, let date):
      let name = trust?.name(of: anchor).madeVisible(limit: 100) ?? ""
      let relation = trust?.isSigner(anchor) == true ? "signed by" : "chains to"
      let digits = anchor.description
      rows.add("verdict", "verified: \(relation) \(name) (\(digits.prefix(8))…\(digits.suffix(8)))")
      rows.add("anchor", digits)
      rows.add("checked at", date.readable)
    case .refused(let failure):
      rows.add("verdict", "refused (\(failure.fault.rawValue)): \(failure.detail.madeVisible(limit: 2000))")
      if contents != nil { rows.add("", "The following contents are not verified. Do not trust them.") }
    }
  }

  private static func add(_ receipt: AppReceipt, to rows: inout LabeledRows) {
    rows.add("bundle id", receipt.bundleID.rawValue.madeVisible(limit: 200))
    rows.add("environment", receipt.receiptType.madeVisible(limit: 100))
    rows.add("version", receipt.applicationVersion.madeVisible(limit: 100))
    rows.add("first version", receipt.originalApplicationVersion?.madeVisible(limit: 100))
    rows.add("created", receipt.creationDate.readable)
    rows.add("expires", receipt.expirationDate?.readable)
    rows.add("purchases", String(receipt.inAppPurchases.count))
  }

  private static func add(_ receipt: UnverifiedLegacyReceipt, to rows: inout LabeledRows) {
    rows.add("bundle id", receipt.receipt.bundleID.rawValue.madeVisible(limit: 200))
    rows.add("environment", receipt.receipt.environment.rawValue)
    rows.add("version", receipt.receipt["bvrs"]?.madeVisible(limit: 100))
    rows.add("created", receipt.receipt.purchaseDate.readable)
    rows.add("vendor id", receipt.receipt["unique-vendor-identifier"]?.madeVisible(limit: 100))
  }

  private static func add(_ payload: PayloadContents, to rows: inout LabeledRows) {
    rows.add("bundle id", payload.bundleID?.rawValue.madeVisible(limit: 200))
    rows.add("environment", payload.rawEnvironment?.madeVisible(limit: 100))
    rows.add("version", payload.applicationVersion?.madeVisible(limit: 100))
    rows.add("signed", payload.signedDate?.readable)
  }

  private static func purchaseLines(_ purchases: [ListedPurchase]) -> [String] {
    guard !purchases.isEmpty else { return [] }
    let columns: [TextTable.Column] = [
      .init(heading: "product"), .init(heading: "qty", isNumber: true), .init(heading: "transaction"),
      .init(heading: "original"), .init(heading: "purchased"), .init(heading: "expires"),
      .init(heading: "cancelled"),
    ]
    let rows = purchases.map { purchase in
      let isOriginal = purchase.originalTransactionID == purchase.transactionID
      return [
        purchase.productID.rawValue.madeVisible(limit: 200), String(purchase.quantity),
        purchase.transactionID.rawValue, isOriginal ? "" : purchase.originalTransactionID.rawValue,
        purchase.purchaseDate.readable, purchase.expiresDate?.readable ?? "",
        purchase.cancellationDate?.readable ?? "",
      ]
    }
    return TextTable(columns: columns, rows: rows).lines
  }

  private static func payloadLines(_ payload: PayloadContents) -> [String] {
    guard let json = payload.json else {
      return ["The payload is not JSON: \(payload.jws.contents.payload.count) bytes."]
    }
    return ["payload:"] + json.lines
  }

  private var certificateLines: [String] {
    let signer = signer
    return certificates.enumerated().flatMap { index, certificate in
      var rows = LabeledRows()
      let role = certificate.fingerprint == signer ? " (signer)" : ""
      rows.add("certificate \(index + 1)", certificate.subject.madeVisible(limit: 400) + role)
      rows.add("  valid", "\(certificate.notBefore) to \(certificate.notAfter)".madeVisible(limit: 200))
      rows.add("  SHA-256", certificate.fingerprint.description)
      return rows.lines
    }
  }
}
