/// The kinds of signed data. The raw values are `kind` in JSON.
enum ReceiptKind: String, CaseIterable {
  case appReceipt, legacyReceipt, transaction, renewalInfo, appTransaction, notification
  /// A JWS with another payload.
  case jws

  /// The name of the kind, for people.
  var title: String {
    switch self {
    case .appReceipt: "app receipt"
    case .legacyReceipt: "legacy transaction receipt"
    case .transaction: "signed transaction (JWS)"
    case .renewalInfo: "signed renewal information (JWS)"
    case .appTransaction: "signed app transaction (JWS)"
    case .notification: "server notification (JWS)"
    case .jws: "JWS"
    }
  }
}

extension ReceiptInput {
  /// The kind as far as it is known before the input is decoded.
  var kind: ReceiptKind {
    switch self {
    case .appReceipt: .appReceipt
    case .legacyReceipt: .legacyReceipt
    case .jws: .jws
    }
  }
}
