import StoreModel
import Testing

@Suite("Identifiers are compared as bytes", .timeLimit(.minutes(30)))
struct IdentifierBytesTests {
  @Test(
    "canonically equivalent texts are different identifiers",
    arguments: [("com.example.\u{212A}", "com.example.K"), ("caf\u{E9}", "cafe\u{301}"), ("\u{212B}", "\u{C5}")])
  func equivalence(one: String, other: String) {
    #expect(one == other)
    #expect(BundleID(one) != BundleID(other))
    #expect(BundleID(one).hashValue != BundleID(other).hashValue)
    #expect(Set([ProductID(one), ProductID(other), ProductID(one)]).count == 2)
    #expect([AccountName(one): 1][AccountName(other)] == nil)
    #expect((BundleID(one) < BundleID(other)) != (BundleID(other) < BundleID(one)))
  }

  @Test("the same bytes are the same identifier")
  func same() {
    #expect(BundleID("com.example.K") == BundleID(rawValue: ["com", "example", "K"].joined(separator: ".")))
    #expect(Set([ProductID("é"), ProductID("é")]).count == 1)
    #expect(!(ProductID("a") < ProductID("a")))
  }
}
