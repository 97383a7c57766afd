/// The identifier of a transaction: 1 to 20 decimal digits, as in all APIs of the App Store.
///
/// The ids of an emulated store begin with its ``StoreEpoch``.
public struct TransactionID: RawRepresentable, Hashable, Codable, Comparable, Sendable, CustomStringConvertible {
  public let rawValue: String

  /// Nil unless `rawValue` is 1 to 20 ASCII decimal digits.
  public init?(rawValue: String) {
    var text = rawValue
    guard text.withUTF8(Self.isIdentifier) else { return nil }
    self.rawValue = rawValue
  }

  /// Reads the identifier from a document. Nil unless the bytes are 1 to 20 ASCII decimal digits.
  package init?(bytes: UnsafeBufferPointer<UInt8>) {
    guard Self.isIdentifier(bytes) else { return nil }
    rawValue = String(decoding: bytes, as: UTF8.self)
  }

  private static func isIdentifier(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    (1...20).contains(bytes.count) && bytes.allSatisfy { (0x30...0x39).contains($0) }
  }

  public init(_ number: UInt64) { rawValue = String(number) }

  /// The identifier as StoreKit 2 shows it; nil if it does not fit into 64 bits.
  public var number: UInt64? { UInt64(rawValue) }

  public var description: String { rawValue }

  /// Compares numerically. Within one epoch of a store, this is the order of purchase.
  public static func < (left: TransactionID, right: TransactionID) -> Bool {
    let (a, b) = (left.rawValue.utf8.count, right.rawValue.utf8.count)
    return a == b ? left.rawValue < right.rawValue : a < b
  }
}
