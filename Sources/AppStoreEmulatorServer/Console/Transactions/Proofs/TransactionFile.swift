import StoreModel

/// A text of a transaction that its page shows and that can be downloaded: the answer of an API, or a part of the signed
/// data. The raw value is its id on the page, and its name in addresses.
enum TransactionFile: String, CaseIterable {
  case control
  case productionAppReceipt = "verify-production-app"
  case productionLegacyReceipt = "verify-production-legacy"
  case sandboxAppReceipt = "verify-sandbox-app"
  case sandboxLegacyReceipt = "verify-sandbox-legacy"
  case jws
  case jwsPayload = "jws-payload"
  case jwsHeader = "jws-header"
  case receipt
  case receiptPurchases = "receipt-purchases"
  case legacy
  case legacyFields = "legacy-fields"

  var title: String {
    switch self {
    case .control: "The transaction in /control/v1/transactions"
    case .productionAppReceipt, .sandboxAppReceipt: "The whole answer to the app receipt"
    case .productionLegacyReceipt, .sandboxLegacyReceipt: "The whole answer to the receipt of iOS 6"
    case .jws: "The whole JWS"
    case .jwsPayload: "Payload"
    case .jwsHeader: "Header"
    case .receipt: "The receipt in base64"
    case .receiptPurchases: "In-app purchases"
    case .legacy: "The receipt as it is"
    case .legacyFields: "What is signed"
    }
  }

  /// Whether it is made from signed data.
  var isSigned: Bool { self != .control }

  /// The name of the downloaded file.
  func fileName(of id: TransactionID) -> String {
    switch self {
    case .control: "transaction-\(id).json"
    case .productionAppReceipt: "verifyReceipt-production-app-receipt-\(id).json"
    case .productionLegacyReceipt: "verifyReceipt-production-legacy-receipt-\(id).json"
    case .sandboxAppReceipt: "verifyReceipt-sandbox-app-receipt-\(id).json"
    case .sandboxLegacyReceipt: "verifyReceipt-sandbox-legacy-receipt-\(id).json"
    case .jws: "signed-transaction-\(id).jws"
    case .jwsPayload: "signed-transaction-\(id)-payload.json"
    case .jwsHeader: "signed-transaction-\(id)-header.json"
    case .receipt: "app-receipt-\(id).txt"
    case .receiptPurchases: "app-receipt-\(id)-purchases.json"
    case .legacy: "legacy-receipt-\(id).plist"
    case .legacyFields: "legacy-receipt-\(id)-fields.txt"
    }
  }

  func contentType(of id: TransactionID) -> String {
    fileName(of: id).hasSuffix(".json") ? "application/json" : "text/plain; charset=utf-8"
  }
}
