import Foundation
import SignedData

/// Decodes `receipt-data` by the rules that were measured at Apple's endpoint: canonical base64, see ``Base64Fault``.
///
/// Legacy receipts may also have line breaks in their base64, as apps of iOS 6 wrote it.
enum ReceiptDataEncoding {
  typealias Refusal = VerifyReceiptRequest.Refusal

  /// - Parameter ignoresWhiteSpace: whether white space is ignored in the base64 of app receipts, too.
  static func receipt(_ text: String, ignoresWhiteSpace: Bool) throws(Refusal) -> VerifyReceiptRequest.Receipt {
    let characters = Array(text.utf8)
    guard let fault = fault(in: characters) else { return kind(of: try decoded(characters)) }
    if ignoresWhiteSpace {
      let compact = characters.filter { !isWhiteSpace($0) }
      if let fault = Self.fault(in: compact) { throw refusal(fault) }
      return kind(of: try decoded(compact))
    }
    let lines = characters.filter { $0 != 0x0A && $0 != 0x0D }
    if lines.count < characters.count, Self.fault(in: lines) == nil,
      case .legacy(let receipt) = kind(of: try decoded(lines))
    {
      return .legacy(receipt)
    }
    throw refusal(fault)
  }

  private static func kind(of data: Data) -> VerifyReceiptRequest.Receipt {
    let first = data.first { !isWhiteSpace($0) }
    if first == UInt8(ascii: "{") { return .legacy(data) }
    // What follows the first complete container is ignored.
    if case .beginning(let count) = ReceiptExtent(data) { return .app(data.prefix(count)) }
    return .app(data)
  }

  private static func fault(in text: [UInt8]) -> Base64Fault? {
    text.withUnsafeBufferPointer { Base64Fault(in: $0) }
  }

  private static func decoded(_ canonical: [UInt8]) throws(Refusal) -> Data {
    guard let data = Data(base64Encoded: Data(canonical)) else {
      throw Refusal(status: .malformedReceipt, reason: "receipt-data is not base64")
    }
    return data
  }

  private static func refusal(_ fault: Base64Fault) -> Refusal {
    Refusal(
      status: .malformedReceipt, reason: "receipt-data is not canonical base64, which Apple demands: \(fault)")
  }

  private static func isWhiteSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
