import Foundation
import PurchaseLedger
import StoreModel
import Testing

@testable import PurchaseKit

@Suite("Concurrent redemptions", .timeLimit(.minutes(30)))
struct RestoreOfManyTests {
  @Test("E5 a restore of many purchases redeems a few at the same time, and all of them in the end")
  func fewAtATime() async throws {
    let fixture = try LibraryFixture()
    let products = (1...40).map { "com.example.reader.book\($0)" }
    let vault = try PurchaseVault(at: nil, keys: MemoryVaultKeyStore(), owner: TestVault.owner())
    let entitlements = EntitlementManager(vault: vault, receipts: nil, productIdentifiers: Set(products))
    let crowd = Crowd()
    for _ in products {
      fixture.server.once("/redemptions") { _, usual in
        await crowd.pass()
        return usual
      }
    }
    let delivery = ServerDelivery(
      server: fixture.client, downloads: fixture.downloads, entitlements: entitlements,
      productIdentifiers: Set(products),
      atOnce: 3,
      proof: { _ in
        await crowd.pass()
        return .appReceipt(Data("receipt".utf8))
      })
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, product) in products.enumerated() {
        let purchase = PaidPurchase(
          transactionIdentifier: "\(number + 1)", productIdentifier: product, quantity: 1, date: TestVault.date,
          isRestored: true)
        group.addTask { try await delivery.deliver(purchase) }
      }
      try await group.waitForAll()
    }
    #expect(crowd.most <= 3)
    for product in products { #expect(try entitlements.isEntitled(to: product)) }
    #expect(fixture.server.calls("/redemptions").count == 40)
  }

  @Test("a new purchase precedes waiting restores, and a released permit is free")
  func urgent() async throws {
    let semaphore = Semaphore(1)
    let steps = Steps()
    try await semaphore.acquire()
    let first = Task {
      try await semaphore.acquire()
      steps.add("restored")
      semaphore.release()
    }
    while semaphore.waitingCount < 1 { await Task.yield() }
    let second = Task {
      try await semaphore.acquire(isUrgent: true)
      steps.add("bought")
      semaphore.release()
    }
    while semaphore.waitingCount < 2 { await Task.yield() }
    semaphore.release()
    try await first.value
    try await second.value
    #expect(steps.all == ["bought", "restored"])
    // All callers have released the permit, so it is free.
    try await semaphore.acquire()
  }

  @Test("every refusal code of the server has a meaning, and only revocations owe nothing")
  func refusalCodes() {
    let date = StoreDate(millisecondsSince1970: 0)
    let refusals: [RedemptionRefusal] = [
      .notInProof, .otherProduct("book"), .unknownProduct("book"), .otherType(.consumable),
      .environmentNotAllowed(.sandbox), .namesAnotherCustomer, .claimedByAnotherCustomer, .otherPurchase,
      .refunded(date), .revoked,
    ]
    // A new case must be added to the list above, and to this switch.
    for refusal in refusals {
      let owesNothing: (bought: Bool, restored: Bool) =
        switch refusal {
        case .refunded, .revoked: (true, true)
        case .namesAnotherCustomer, .claimedByAnotherCustomer: (false, true)
        case .notInProof, .otherProduct, .unknownProduct, .otherType, .environmentNotAllowed, .otherPurchase:
          (false, false)
        }
      let meaning = { ServerRefusal.Meaning(code: refusal.code, isRestored: $0) }
      #expect(meaning(false) == (owesNothing.bought ? .nothingOwed : .keep), "\(refusal.code)")
      #expect(meaning(true) == (owesNothing.restored ? .nothingOwed : .keep), "\(refusal.code)")
    }
    #expect(ServerRefusal.Meaning(code: "aCodeOfTheFuture", isRestored: true) == nil)
    // A status of 503 is temporary, so the purchase is kept whatever the code is.
    #expect(ServerRefusal(status: 503, code: "refunded", message: "").meaning(isRestored: true) == .keep)
  }
}

/// Records the maximum number of concurrent callers.
private final class Crowd: Sendable {
  private struct State: Sendable {
    var inside = 0
    var highest = 0
  }

  private let state = LockedValue(State())

  var most: Int { state.withLock { $0.highest } }

  func pass() async {
    state.withLock { state in
      state.inside += 1
      state.highest = max(state.highest, state.inside)
    }
    for _ in 0..<50 { await Task.yield() }
    state.withLock { $0.inside -= 1 }
  }
}
