import AppStoreEmulator
import ControlAPI
import Foundation
import SignedData
import StoreModel
import WebSupport

/// Makes the texts of a transaction's files.
struct TransactionFiles {
  let stored: StoredTransaction
  /// The signed data and the answers of the APIs; nil if they were not made.
  let signed: (proofs: TransactionProofs, answers: ProofAnswers)?

  /// The file as a folded text with a link to download it. Empty if the file needs signed data that were not made.
  ///
  /// - Parameter purchases: the maximum number of purchases in the list of a receipt's purchases.
  func folded(_ file: TransactionFile, purchases: Int = .max) throws -> HTML {
    try text(file, purchases: purchases).map {
      FoldedText(
        id: file.rawValue, title: file.title, text: $0,
        download: ConsoleAddress.file(file, of: stored.record.transactionID)
      ).html
    } ?? ""
  }

  /// The text of a file; nil if the file needs signed data that were not made.
  func text(_ file: TransactionFile, purchases: Int = .max) throws -> String? {
    if file == .control { return try PrettyJSON.text(TransactionView(stored)) }
    guard let (proofs, answers) = signed else { return nil }
    switch file {
    case .control: return nil
    case .productionAppReceipt: return Self.text(answers.appReceipt[.production])
    case .productionLegacyReceipt: return Self.text(answers.legacyReceipt[.production])
    case .sandboxAppReceipt: return Self.text(answers.appReceipt[.sandbox])
    case .sandboxLegacyReceipt: return Self.text(answers.legacyReceipt[.sandbox])
    case .jws: return proofs.signedTransaction
    case .jwsPayload: return PrettyJSON.text(Data(try UnverifiedJWS(proofs.signedTransaction).contents.payload))
    case .jwsHeader: return Self.header(of: proofs.signedTransaction)
    case .receipt: return proofs.appReceipt.base64EncodedString()
    case .receiptPurchases:
      return try ReceiptPurchase.text(try UnverifiedAppReceipt(proofs.appReceipt).receipt, limit: purchases)
    case .legacy: return String(decoding: proofs.legacyReceipt, as: UTF8.self)
    case .legacyFields:
      return try UnverifiedLegacyReceipt(proofs.legacyReceipt).receipt.fields.map { "\($0.key) = \($0.value)" }
        .joined(separator: "\n")
    }
  }

  private static func text(_ answer: VerifyReceiptResponse?) -> String? { answer.map { PrettyJSON.text($0.body) } }

  private static func header(of jws: String) -> String {
    let encoded = jws.split(separator: ".", omittingEmptySubsequences: false).first ?? ""
    let base64 = encoded.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - base64.count % 4) % 4)
    return PrettyJSON.text(Data(base64Encoded: base64 + padding) ?? Data())
  }
}
