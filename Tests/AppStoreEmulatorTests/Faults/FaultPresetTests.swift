import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The presets of faults", .timeLimit(.minutes(30)))
struct FaultPresetTests {
  private func set(_ id: String, in shop: TeaShop) throws {
    try shop.store.set(try #require(FaultPreset.all.first { $0.id == id }).fault)
  }

  @Test("each can be set, and has a title and one sentence")
  func all() async throws {
    let shop = try await TeaShop()
    for preset in FaultPreset.all {
      try shop.store.set(preset.fault)
      #expect(preset.summary.hasSuffix(".") && !preset.title.isEmpty)
    }
    #expect(FaultPreset.all.count <= 8 && Set(FaultPreset.all.map(\.id)).count == FaultPreset.all.count)
  }

  @Test(
    "C2 C4 it disturbs the next purchase only",
    arguments: [
      ("cardDeclined", RequestEnd.refused(.paymentDeclined), 0), ("answerLost", .noAnswer, 1),
      ("unknownError", .refused(.storeFailure), 0), ("paymentsNotAllowed", .refused(.paymentNotAllowed), 0),
    ])
  func purchase(id: String, end: RequestEnd, charges: Int) async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try set(id, in: shop)
    #expect(try await shop.endOfPurchase(as: "first", on: phone) == end)
    #expect(try await shop.store.charges().count == charges)
    #expect(try await shop.endOfPurchase(as: "second", on: phone) == .answered)
  }

  @Test("C4 the store is down until the fault is removed")
  func down() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try set("storeDown", in: shop)
    for _ in 0..<2 { #expect(try await shop.endOfPurchase(on: phone) == .refused(.temporarilyUnavailable)) }
    shop.store.removeFaults()
    #expect(try await shop.endOfPurchase(on: phone) == .answered)
  }

  @Test("C4 a slow store waits for three seconds of the machine's time")
  func slow() async throws {
    let waits = LockedValue<[Duration]>([])
    let shop = try await TeaShop(sleep: { duration in waits.withLock { $0.append(duration) } })
    let phone = try await shop.phone()
    try set("storeSlow", in: shop)
    _ = try await shop.store.products([], for: phone.id)
    #expect(waits.value.contains(.seconds(3)))
  }

  @Test("C2 the next sign-in, and the next receipt, are refused")
  func others() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone(signedInAs: nil)
    try set("passwordRefused", in: shop)
    try set("receiptServerBusy", in: shop)
    let credentials = SignInCredentials(account: TeaShop.customer)
    #expect(try await refusal { _ = try await shop.store.signIn(credentials, on: phone.id) } == .signInRefused)
    #expect(try await refusal { _ = try await shop.store.signIn(credentials, on: phone.id) } == nil)
    #expect(try await shop.store.verifyReceipt(Data("{}".utf8), at: .sandbox).status == .temporarilyUnavailable)
    #expect(try await shop.store.verifyReceipt(Data("{}".utf8), at: .sandbox).status == .malformedReceipt)
  }

  @Test("the names of StoreKit's codes have their numbers")
  func codes() {
    #expect(AppError.storeKitCodes.map(\.code) == Array(0...21))
    #expect(
      AppError.storeKitCodes[2].name == "paymentCancelled" && AppError.storeKitCodes[18].name == "ineligibleForOffer")
  }
}
