import Crypto
import Foundation
import StoreModel

/// The secret key of a backup: 32 random bytes, which the customer keeps as 14 groups of four letters and digits.
///
/// The key and its ``text`` must not be logged.
public struct BackupKey: Hashable, Sendable {
  let bytes: Data

  /// Makes a new key with the system's random generator.
  public init() { bytes = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) } }

  // MARK: Text

  // Crockford's base 32: no I, L, O, U.
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
  private static let length = 56

  /// The key as text for the customer to write down, such as `7K3M-…`.
  public var text: String {
    var characters: [Character] = []
    var (bits, count) = (0, 0)
    for byte in bytes + Self.checksum(of: bytes) {
      bits = bits << 8 | Int(byte)
      count += 8
      while count >= 5 {
        count -= 5
        characters.append(Self.alphabet[bits >> count & 31])
      }
    }
    return stride(from: 0, to: characters.count, by: 4).map { String(characters[$0..<$0 + 4]) }.joined(separator: "-")
  }

  /// Reads a key that a customer typed, in upper or lower case, with or without hyphens and spaces. The letter O is
  /// read as 0, the letters I and L as 1.
  public init(text: String) throws(BackupKeyError) {
    var values: [Int] = []
    for character in text.uppercased() where character != "-" && !character.isWhitespace {
      let meant: Character =
        switch character {
        case "O": "0"
        case "I", "L": "1"
        default: character
        }
      guard let value = Self.alphabet.firstIndex(of: meant) else { throw .notInAlphabet(character) }
      values.append(value)
    }
    guard values.count == Self.length else { throw .length(values.count) }
    var (all, bits, count) = (Data(), 0, 0)
    for value in values {
      bits = (bits << 5 | value) & 0xFFFF
      count += 5
      if count >= 8 {
        count -= 8
        all.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    let key = all.prefix(32)
    guard Self.checksum(of: key) == all.dropFirst(32) else { throw .mistyped }
    bytes = Data(key)
  }

  private static func checksum(of bytes: Data) -> Data { Data(SHA256.hash(data: bytes).prefix(3)) }
}

/// Thrown when a text is not a backup key.
public enum BackupKeyError: DescribedError, Hashable, Sendable {
  case length(Int)
  case notInAlphabet(Character)
  case mistyped

  public var description: String {
    switch self {
    case .length(let length): "A backup key has 56 letters and digits; there are \(length)."
    case .notInAlphabet(let character): "\(character) does not occur in a backup key."
    case .mistyped: "The backup key has a typing error: compare it with what was written down."
    }
  }
}
