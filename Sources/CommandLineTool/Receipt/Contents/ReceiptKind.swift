/// The kinds of signed data. The raw values are the values of `kind` in the JSON report.
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
  /// The kind, before the input is decoded. It is `jws` for every JWS, because the payload is not known yet.
  var kind: ReceiptKind {
    switch self {
    case .appReceipt: .appReceipt
    case .legacyReceipt: .legacyReceipt
    case .jws: .jws
    }
  }
}
