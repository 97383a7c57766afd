import Foundation
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("SKProductStorePromotionController", .timeLimit(.minutes(30)))
struct PromotionTests {
  private let five = NamedProduct(TestStore.five)
  private let ten = NamedProduct(TestStore.ten)
  private let unknown = NamedProduct("com.example.credits.thousand")

  @Test("visibility is the default until it is overridden, and the override survives a relaunch")
  func visibility() async throws {
    let test = try await TestStore()
    let folder = TemporaryFolder()
    var device = try test.device(storage: .directory(folder.url))
    var controller = SKProductStorePromotionController(device: device)
    #expect(try await controller.promotionVisibility(for: five) == .default)
    try await controller.update(promotionVisibility: .hide, for: five)
    try await controller.update(promotionVisibility: .show, for: ten)
    try await device.close()

    device = try test.device(storage: .directory(folder.url))
    controller = SKProductStorePromotionController(device: device)
    #expect(try await controller.promotionVisibility(for: five) == .hide)
    #expect(try await controller.promotionVisibility(for: ten) == .show)
    try await controller.update(promotionVisibility: .default, for: five)
    #expect(try await controller.promotionVisibility(for: five) == .default)
    #expect(try await controller.promotionVisibility(for: ten) == .show)
  }

  @Test("the order is what was set last, as products of the store, and an empty list removes it")
  func order() async throws {
    let test = try await TestStore()
    let device = try test.device()
    let controller = SKProductStorePromotionController(device: device)
    #expect(try await controller.promotionOrder().isEmpty)
    try await controller.update(promotionVisibility: .hide, for: five)
    try await controller.update(promotionOrder: [ten, five, ten])
    let products = try await controller.promotionOrder()
    #expect(products.map(\.productIdentifier) == [TestStore.ten, TestStore.five])
    #expect(products.map(\.localizedTitle) == ["10 credits", "5 credits"])
    try await controller.update(promotionOrder: [five])
    #expect(try await controller.promotionOrder().map(\.productIdentifier) == [TestStore.five])
    try await controller.update(promotionOrder: [])
    #expect(try await controller.promotionOrder().isEmpty)
    #expect(try await controller.promotionVisibility(for: five) == .hide)
  }

  @Test("a product the store does not know is refused with storeProductNotAvailable, and nothing changes")
  func unknownProducts() async throws {
    let test = try await TestStore()
    let device = try test.device()
    let controller = SKProductStorePromotionController(device: device)
    try await controller.update(promotionOrder: [five])
    await #expect(throws: SKError.self) { try await controller.update(promotionOrder: [ten, unknown]) }
    #expect(try await controller.promotionOrder().map(\.productIdentifier) == [TestStore.five])
    do {
      try await controller.update(promotionVisibility: .show, for: unknown)
      Issue.record("an unknown product was taken")
    } catch SKError.storeProductNotAvailable {
      // Expected.
    }
    await #expect(throws: SKError.self) { try await controller.promotionVisibility(for: unknown) }
    await #expect(throws: SKError.self) { try await controller.promotionVisibility(for: SKProduct()) }
  }

  @Test("completion handlers are called on the main queue with what the asynchronous twins give")
  func handlers() async throws {
    let test = try await TestStore()
    let connection = ScriptedConnection(test.store)
    let controller = SKProductStorePromotionController(device: try test.device(through: connection))
    let (five, ten) = (five, ten)
    let updated = await handler { controller.update(storePromotionVisibility: .show, for: five, completionHandler: $0) }
    #expect(updated == nil)
    let visibility: Notified<SKProductStorePromotionVisibility> = await handler { reported in
      controller.fetchStorePromotionVisibility(for: five) { reported(Notified(value: $0, error: $1)) }
    }
    #expect(visibility.value == .show && visibility.error == nil)
    #expect(await handler { controller.update(storePromotionOrder: [ten], completionHandler: $0) } == nil)
    let order: Notified<[SKProduct]> = await handler { reported in
      controller.fetchStorePromotionOrder { reported(Notified(value: $0, error: $1)) }
    }
    #expect(order.value.map(\.productIdentifier) == [TestStore.ten] && order.error == nil)

    connection.script(.products, .unreachable, .unreachable, .unreachable)
    let failed: Notified<[SKProduct]> = await handler { reported in
      controller.fetchStorePromotionOrder { reported(Notified(value: $0, error: $1)) }
    }
    #expect(failed.value.isEmpty && (failed.error as? NSError)?.domain == NSURLErrorDomain)
    let unknownVisibility: Notified<SKProductStorePromotionVisibility> = await handler { reported in
      controller.fetchStorePromotionVisibility(for: five) { reported(Notified(value: $0, error: $1)) }
    }
    #expect(unknownVisibility.value == .default && unknownVisibility.error != nil)
    #expect(await handler { controller.update(storePromotionOrder: [five], completionHandler: $0) } != nil)
    // Calls without a handler must not crash.
    controller.update(storePromotionOrder: [])
    controller.fetchStorePromotionOrder()
  }

  private struct Notified<Value: Sendable>: Sendable {
    let value: Value
    let error: (any Error)?
  }

  private func handler<Answer: Sendable>(_ call: (@escaping @Sendable (Answer) -> Void) -> Void) async -> Answer {
    await withCheckedContinuation { continuation in
      call { answer in
        dispatchPrecondition(condition: .onQueue(.main))
        continuation.resume(returning: answer)
      }
    }
  }
}

private final class NamedProduct: SKProduct, @unchecked Sendable {
  private let name: String
  init(_ name: String) {
    self.name = name
    super.init()
  }
  override var productIdentifier: String { name }
}
