import Foundation
import StoreModel

extension JSONReader {
  mutating func int() throws(JSONFault) -> Int {
    guard let value = Int(exactly: try integer()) else { throw fault("a number is too large") }
    return value
  }

  /// Reads a date in UNIX milliseconds. Xcode writes fractions, which are rounded.
  mutating func date() throws(JSONFault) -> StoreDate {
    StoreDate(millisecondsSince1970: try roundedInteger())
  }

  mutating func transactionID() throws(JSONFault) -> TransactionID {
    guard let id = TransactionID(rawValue: try string()) else {
      throw fault("a transaction id of 1 to 20 decimal digits is expected")
    }
    return id
  }

  mutating func uuid() throws(JSONFault) -> UUID {
    guard let uuid = try withString({ UUID(hexadecimal: $0) }) else { throw fault("a UUID is expected") }
    return uuid
  }

  mutating func base64() throws(JSONFault) -> [UInt8] {
    guard let bytes = try withString({ Base64.decode($0, .standard) }) else { throw fault("base64 is expected") }
    return bytes
  }

  /// Reads any value, and returns its JSON text.
  mutating func rawValue() throws(JSONFault) -> String {
    let range = try skipValue()
    return String(decoding: slice(range), as: UTF8.self)
  }
}

extension UUID {
  /// Parses 8-4-4-4-12 hexadecimal digits; returns nil for any other text. Unlike `UUID(uuidString:)`, it needs no
  /// `String`.
  init?(hexadecimal text: UnsafeBufferPointer<UInt8>) {
    guard text.count == 36 else { return nil }
    var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    let isWell = withUnsafeMutableBytes(of: &value) { bytes in
      var (read, written) = (0, 0)
      while read < 36 {
        if read == 8 || read == 13 || read == 18 || read == 23 {
          guard text[read] == UInt8(ascii: "-") else { return false }
          read += 1
          continue
        }
        guard let high = Hexadecimal.value(text[read]), let low = Hexadecimal.value(text[read + 1]) else {
          return false
        }
        bytes[written] = high << 4 | low
        read += 2
        written += 1
      }
      return true
    }
    guard isWell else { return nil }
    self.init(uuid: value)
  }
}
