import Foundation

/// How many of the bytes of an app receipt belong to its container.
package enum ReceiptExtent: Hashable, Sendable {
  /// All bytes.
  case whole
  /// The first `count` bytes. Others follow.
  case beginning(count: Int)
  /// The end of the container is missing. `count` is the number of bytes that it should have; nil if its length is
  /// indefinite.
  case cutOff(count: Int?)
  /// The bytes do not begin with a SEQUENCE, as each container does.
  case notAContainer

  package init(_ receipt: Data) { self = receipt.withUnsafeBytes { ReceiptExtent($0.bindMemory(to: UInt8.self)) } }

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.first == TLVElement.sequence else {
      self = .notAContainer
      return
    }
    var reader = TLVReader(bytes, rules: .ber)
    if let element = try? reader.next() {
      self = element.range.upperBound == bytes.count ? .whole : .beginning(count: element.range.upperBound)
    } else {
      self = .cutOff(count: reader.nextStatedEnd)
    }
  }
}
