import Foundation

extension PurchaseProof.Kind {
  /// The maximum size of a proof of this kind, in bytes. Real proofs have a few thousand bytes; an app receipt grows by
  /// about 600 bytes with each purchase.
  public var maximumBytes: Int {
    switch self {
    case .appReceipt: 8 << 20
    case .legacyReceipt: 64 << 10
    case .signedTransaction: 256 << 10
    case .transactionID: 20
    }
  }
}

extension PurchaseProof {
  /// Checks the size, and the first character of a receipt, so that an upload that cannot be a receipt is not sent to the
  /// store. A signed transaction must only not be empty.
  ///
  /// - Throws: ``ProofRefusal/unreadable(detail:)``.
  func checkFormat() throws(ProofRefusal) {
    let size: Int
    let isPlausible: Bool
    switch self {
    case .appReceipt(let data):
      (size, isPlausible) = (data.count, data.first == 0x30)
    case .legacyReceipt(let data):
      let first = data.first { $0 != 0x20 && !(0x09...0x0D).contains($0) }
      (size, isPlausible) = (data.count, first == UInt8(ascii: "{"))
    case .signedTransaction(let text):
      (size, isPlausible) = (text.utf8.count, !text.isEmpty)
    case .transactionID(let id):
      (size, isPlausible) = (id.rawValue.utf8.count, true)
    }
    guard size <= kind.maximumBytes else {
      throw .unreadable(detail: "it has \(size) bytes; a proof of its kind has at most \(kind.maximumBytes)")
    }
    guard isPlausible else {
      throw .unreadable(
        detail: size == 0 ? "it is empty" : "it does not begin like a proof of the kind \(kind.rawValue)")
    }
  }
}
