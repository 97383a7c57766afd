import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("Icons of products", .timeLimit(.minutes(30)))
struct ProductIconTests {
  @Test(
    "the initials are those of the words in the last part of the id",
    arguments: [
      ("com.example.consume5credits", "C5"), ("com.example.sepia", "SE"), ("book.small-print", "SP"),
      ("org.example.proMonthly", "PM"), ("42", "42"), ("x", "X"), ("日本.茶", "茶"), ("...", ""), ("<b>&\"", "B"),
      ("straße", "ST"),
    ])
  func initials(id: String, initials: String) {
    #expect(ProductIcon(product: ProductID(id), type: .consumable).initials == initials)
  }

  @Test("the colour is the same in each run, and each type has a shape of its own")
  func stable() {
    let ids = (0..<100).map { ProductID("com.example.product\($0)") }
    let tints = ids.map { ProductIcon(product: $0, type: nil).tint }
    #expect(tints.prefix(4) == [5, 2, 7, 4])
    #expect(Set(tints).count == Int(ProductIcon.tints))
    let types: [ProductType?] = [
      .consumable, .nonConsumable, .autoRenewableSubscription, .nonRenewingSubscription, nil,
    ]
    #expect(Set(types.map { ProductIcon(product: "com.example.a", type: $0).html }).count == types.count)
  }
}
