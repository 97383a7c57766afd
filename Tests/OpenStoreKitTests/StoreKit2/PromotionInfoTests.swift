import Foundation
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("StoreKit 2: the order of promoted products", .timeLimit(.minutes(30)))
struct PromotionInfoTests {
  @Test("order and visibility are stored, and are those of StoreKit 1")
  func orderAndVisibility() async throws {
    let device = try await TestStore.club().clubDevice()
    #expect(try await Product.PromotionInfo.currentOrder(on: device).isEmpty)
    try await Product.PromotionInfo.updateProductOrder(byID: [TestStore.ten, TestStore.five], on: device)
    try await Product.PromotionInfo.updateProductVisibility(.hidden, for: TestStore.five, on: device)
    var order = try await Product.PromotionInfo.currentOrder(on: device)
    #expect(order.map(\.productID) == [TestStore.ten, TestStore.five])
    #expect(order.map(\.visibility) == [.appStoreConnectDefault, .hidden])
    let controller = SKProductStorePromotionController(device: device)
    #expect(try await controller.promotionOrder().map(\.productIdentifier) == [TestStore.ten, TestStore.five])

    order[0].visibility = .visible
    try await order[0].update()
    #expect(try await Product.PromotionInfo.currentOrder(on: device) == order)
    order.reverse()
    order[0].visibility = .appStoreConnectDefault
    try await Product.PromotionInfo.updateAll(order, on: device)
    #expect(try await Product.PromotionInfo.currentOrder(on: device) == order)
    try await Product.PromotionInfo.updateProductOrder(byID: [], on: device)
    #expect(try await Product.PromotionInfo.currentOrder(on: device).isEmpty)
  }

  @Test("a product that the store does not have is unavailable, and nothing changes")
  func unknown() async throws {
    let device = try await TestStore.club().clubDevice()
    await #expect(throws: Product.PurchaseError.productUnavailable) {
      try await Product.PromotionInfo.updateProductOrder(byID: [TestStore.five, "none"], on: device)
    }
    await #expect(throws: Product.PurchaseError.productUnavailable) {
      try await Product.PromotionInfo.updateProductVisibility(.visible, for: "none", on: device)
    }
    #expect(try await Product.PromotionInfo.currentOrder(on: device).isEmpty)
  }

  @Test("the visibilities have Apple's numbers")
  func numbers() {
    let all: [Product.PromotionInfo.Visibility] = [.appStoreConnectDefault, .visible, .hidden]
    #expect(all.map(\.rawValue) == [0, 1, 2])
  }
}
