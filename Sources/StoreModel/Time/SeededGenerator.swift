import Foundation

/// A generator whose whole sequence follows from its seed (SplitMix64). Not for keys or secrets.
///
/// The same seed gives the same identifiers, which makes a run repeatable. Anything that must not be
/// guessed comes from the system's generator instead.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

extension UUID {
  /// A version 4 UUID drawn from `generator`.
  public static func version4(from generator: inout some RandomNumberGenerator) -> UUID {
    var bytes = [UInt8]()
    for _ in 0..<2 { withUnsafeBytes(of: generator.next().bigEndian) { bytes.append(contentsOf: $0) } }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
