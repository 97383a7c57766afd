import Foundation
import SignedData

/// Recognizes base64 of a receipt that was damaged on its way, to say what happened to it.
enum DamagedBase64 {
  /// The fault of `text` if its plus signs became spaces; nil if the spaces are only white space.
  ///
  /// - Parameter decoded: the bytes of the text without its white space. If they are a whole receipt, nothing is lost.
  static func lostPlusSigns(_ text: Data, whereas decoded: Data) -> Base64Fault? {
    guard text.contains(UInt8(ascii: " ")), ReceiptInput.isContainer(decoded), ReceiptExtent(decoded) != .whole,
      let fault = Base64Fault(in: unwrapped(text)), fault.cause == .spaceForPlus
    else { return nil }
    return fault
  }

  /// The fault of a text that is not base64, if it begins as a receipt in base64 once the damage is undone.
  ///
  /// - Parameter compact: the text without white space.
  static func fault(in text: Data, _ compact: Data) -> Base64Fault? {
    guard begins(asReceipt: undamaged(compact)) else { return nil }
    let whole = Base64Fault(in: unwrapped(text))
    // White space is accepted here, so the reason is in the rest.
    return whole?.cause == .whiteSpace ? Base64Fault(in: compact) : whole
  }

  /// The text without line breaks, and without white space around it.
  private static func unwrapped(_ text: Data) -> Data {
    let line = text.filter { $0 != 0x0A && $0 != 0x0D }
    let start = line.drop(while: ReceiptInput.isBlank)
    return Data(start.reversed().drop(while: ReceiptInput.isBlank).reversed())
  }

  /// The first characters of the base64, in the standard alphabet, without what was added to them.
  private static func undamaged(_ compact: Data) -> String {
    var text = String(decoding: compact.prefix(200), as: UTF8.self)
    if text.hasPrefix("data:"), let comma = text.firstIndex(of: ",") {
      text = String(text[text.index(after: comma)...])
    }
    text = text.removingPercentEncoding ?? text
    text.removeAll { $0 == "\"" || $0 == "'" || $0 == "\\" }
    return text.replacing("-", with: "+").replacing("_", with: "/")
  }

  /// Whether base64 begins with the bytes of an app receipt or of a legacy receipt. `MI` is a SEQUENCE with a long
  /// length.
  private static func begins(asReceipt base64: String) -> Bool {
    let first = base64.prefix(8)
    guard first.count >= 3, let decoded = Data(base64Encoded: String(first.prefix(first.count / 4 * 4))),
      !decoded.isEmpty || first.hasPrefix("MI")
    else { return false }
    return decoded.isEmpty || ReceiptInput.isContainer(decoded)
      || decoded.first { !ReceiptInput.isBlank($0) } == UInt8(ascii: "{")
  }
}

extension Base64Fault {
  init?(in text: Data) {
    guard let fault = Array(text).withUnsafeBufferPointer({ Base64Fault(in: $0) }) else { return nil }
    self = fault
  }
}
