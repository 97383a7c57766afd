import Crypto
import Foundation

/// The identifier of a device to which receipts and transactions are bound: a vendor identifier, or a Mac's address.
public enum DeviceIdentifier: Hashable, Sendable, CustomStringConvertible {
  /// `identifierForVendor` for receipts, `AppStore.deviceVerificationID` for signed transactions.
  case vendorIdentifier(UUID)
  /// The address of a Mac's primary network interface: 6 bytes.
  case macAddress([UInt8])

  /// Parses a UUID, or 6 bytes of two hexadecimal digits separated by colons or hyphens. Returns nil for any other
  /// text.
  public init?(_ text: String) {
    if let uuid = UUID(uuidString: text) {
      self = .vendorIdentifier(uuid)
      return
    }
    let characters = Array(text.utf8)
    guard characters.count == 17, let separator = [0x3A, 0x2D].first(where: { characters[2] == $0 }) else { return nil }
    var digits = [UInt8]()
    for (place, character) in characters.enumerated() {
      if place % 3 == 2 {
        guard character == separator else { return nil }
      } else {
        digits.append(character)
      }
    }
    guard let bytes = Hexadecimal.bytes(of: digits) else { return nil }
    self = .macAddress(bytes)
  }

  /// The bytes that are hashed in a receipt: the 16 bytes of the UUID, or the 6 bytes of the address.
  public var bytes: [UInt8] {
    switch self {
    case .vendorIdentifier(let uuid): withUnsafeBytes(of: uuid.uuid) { Array($0) }
    case .macAddress(let address): address
    }
  }

  /// An upper-case UUID, or an address such as `00:1B:63:84:45:E6`.
  public var description: String {
    switch self {
    case .vendorIdentifier(let uuid): uuid.uuidString
    case .macAddress(let address): address.map { Hexadecimal.text(of: [$0]) }.joined(separator: ":")
    }
  }

  /// Computes the proof that a signed transaction was made for this device ("AppTransaction", `deviceVerification`).
  ///
  /// - Parameter nonce: the `deviceVerificationNonce` of the transaction.
  /// - Returns: the SHA-384 digest (48 bytes) of the nonce and the device's identifier, each as lower-case text.
  public func verification(nonce: UUID) -> [UInt8] {
    let text = nonce.uuidString.lowercased() + description.lowercased()
    return Array(SHA384.hash(data: Array(text.utf8)))
  }
}
