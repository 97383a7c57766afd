import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Random configuration files", .timeLimit(.minutes(30)))
struct ConfigurationFuzzTests {
  @Test(
    "Bytes changed, dropped, doubled or swapped for JSON: read or refused, never a crash",
    arguments: ConfigurationFixtures.all.indices
  )
  func mutatedBytes(fixture: Int) {
    var generator = SeededGenerator(seed: 0xCA7A_1060 + UInt64(fixture))
    let original = Array(ConfigurationFixtures.all[fixture].utf8)
    var outcomes = (read: 0, refused: 0)
    for _ in 0..<400 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &generator) { mutate(&bytes, using: &generator) }
      if isRead(Data(bytes)) { outcomes.read += 1 } else { outcomes.refused += 1 }
    }
    // Both outcomes must occur; otherwise the mutations are too weak or too strong to test anything.
    #expect(outcomes.read > 0)
    #expect(outcomes.refused > 0)
  }

  @Test(
    "Any value replaced by any other: read, with a warning for what is lost, or refused with words, never a crash",
    arguments: ConfigurationFixtures.all.indices
  )
  func mutatedValues(fixture: Int) throws {
    var generator = SeededGenerator(seed: 0x5EED + UInt64(fixture))
    let original = try JSONSerialization.jsonObject(with: Data(ConfigurationFixtures.all[fixture].utf8))
    let warnings = try readConfiguration(ConfigurationFixtures.all[fixture]).warnings
    var outcomes = (same: 0, other: 0)
    for _ in 0..<400 {
      var root = original
      for _ in 0..<Int.random(in: 1...3, using: &generator) { root = replaced(root, using: &generator) }
      let data = try JSONSerialization.data(withJSONObject: root, options: .fragmentsAllowed)
      if isRead(data), (try? StoreKitConfiguration(data: data, name: "fuzz"))?.warnings == warnings {
        outcomes.same += 1
      } else {
        outcomes.other += 1
      }
    }
    #expect(outcomes.same > 0)
    #expect(outcomes.other > 0)
  }

  /// Returns whether the file can be read. Checks that the products, or the problems of the error, are plausible.
  private func isRead(_ data: Data) -> Bool {
    do {
      let file = try StoreKitConfiguration(data: data, name: "fuzz")
      #expect(Set(file.products.map(\.productID)).count == file.products.count)
      for product in file.products {
        #expect(!product.productID.rawValue.isEmpty)
        #expect(product.price >= .zero)
        #expect((product.type == .autoRenewableSubscription) == (product.subscription != nil))
        #expect(product.subscription.map { $0.groupLevel >= 1 } ?? true)
      }
      #expect(file.warnings.allSatisfy { !$0.isEmpty && !$0.contains("\n") })
      return true
    } catch {
      #expect(!error.problems.isEmpty)
      #expect(error.problems.allSatisfy { !"\($0)".isEmpty && !"\($0)".contains("\n") })
      return false
    }
  }

  private static let fragments = [
    "null", "true", "-1", "0", "1e999", "\"\"", "[]", "{}", "[[", "}", ",", "\\ud800", "\"P999Y\"",
    "99999999999999999999",
  ]

  private func mutate(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
    guard let index = bytes.indices.randomElement(using: &generator) else { return }
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
    case 1: bytes[index] = UInt8.random(in: 0x61...0x7A, using: &generator)
    case 2: bytes.removeSubrange(index..<min(index + Int.random(in: 1...40, using: &generator), bytes.count))
    case 3: bytes.insert(contentsOf: bytes[index..<min(index + 30, bytes.count)], at: index)
    default: bytes.insert(contentsOf: Array((Self.fragments.randomElement(using: &generator) ?? "").utf8), at: index)
    }
  }

  /// Returns a copy in which one random value is replaced.
  private func replaced(_ value: Any, using generator: inout SeededGenerator) -> Any {
    if var object = value as? [String: Any], let key = object.keys.sorted().randomElement(using: &generator) {
      object[key] = object[key].map { replaced($0, using: &generator) }
      return object
    }
    if var array = value as? [Any], let index = array.indices.randomElement(using: &generator) {
      array[index] = replaced(array[index], using: &generator)
      return array
    }
    let replacements: [Any] = [
      NSNull(), true, false, 0, 1, -1, 1.5, 1e300, Int.max, "", " ", "\u{0}\n", "org.quillworks.ink20", "P1M",
      [Any](), [1], [String: Any](), ["id": "x"],
    ]
    return replacements[Int.random(in: replacements.indices, using: &generator)]
  }
}
