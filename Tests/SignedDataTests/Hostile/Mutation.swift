import StoreModel

/// Damages bytes at random, with a seeded generator.
enum Mutation {
  static func random(of bytes: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0...Int.random(in: 0..<3, using: &generator) {
      guard !bytes.isEmpty else { return bytes }
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 1: bytes[place] = UInt8.random(in: .min ... .max, using: &generator)
      case 2: bytes.removeLast(bytes.count - place)
      case 3: bytes.remove(at: place)
      case 4: bytes.insert(bytes[place], at: place)
      case 5:
        let end = min(bytes.count, place + Int.random(in: 1..<64, using: &generator))
        bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &generator))
      case 6: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1..<32, using: &generator)))
      // Bytes with a special meaning in ASN.1 and JSON: huge and indefinite lengths, ends, brackets, quotes.
      default:
        bytes[place] = [0x00, 0x80, 0x84, 0xFF, 0x30, 0x7B, 0x22, 0x5C, 0x2E][Int.random(in: 0..<9, using: &generator)]
      }
    }
    return bytes
  }
}
