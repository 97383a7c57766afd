import Foundation
import PurchaseTesting
import StoreKitTest
import Testing

@Suite("Test beds: what Apple's sessions cannot do", .isolatedStore, .timeLimit(.minutes(30)))
struct BeyondTests {
  let shop: Session
  private var session: SKTestSession { shop.session }
  private var bed: TestBed { shop.session.testBed }

  init() throws { shop = try Session() }

  @Test("T25 A sheet stays up until the test answers it")
  func heldSheet() async throws {
    let product = try await shop.product("coins")
    let sheet = bed.device.customer.holdNextSheet()
    let purchase = Task { try await product.purchase() }
    #expect(await sheet.shown()?.total.amount == Milliunits(990))
    #expect(session.allTransactions().isEmpty)
    sheet.answer(.cancel)
    guard case .userCancelled = try await purchase.value else { return #expect(Bool(false)) }
    // Only one sheet was held.
    try await shop.buy("coins")
  }

  @Test("T25 The store has charged, and withholds its answer")
  func heldAnswer() async throws {
    let product = try await shop.product("filter")
    let answer = try bed.store.holdNextAnswer()
    let purchase = Task { try await product.purchase() }
    try await answer.reached()
    #expect(session.allTransactions().map(\.state) == [.purchased])
    try answer.release()
    guard case .success(.verified) = try await purchase.value else { return #expect(Bool(false)) }
    #expect(try await bed.store.appStore.charges().count == 1)
  }

  @Test("T25 A lost answer charges once, and the purchase succeeds")
  func lostAnswer() async throws {
    try bed.store.loseNextAnswer()
    try await shop.buy("filter")
    #expect(try await bed.store.appStore.charges().count == 1)
  }

  @Test("T26 A relative shares what the file shares")
  func family() async throws {
    try bed.buyByRelative("filter")
    #expect(await Session.entitled() == ["filter"])
    try bed.buyByRelative("gold.monthly")
    #expect(await Session.entitled() == ["filter", "gold.monthly"])
    #expect(throws: TestBedError.self) { try bed.buyByRelative("coins") }
    #expect(throws: TestBedError.noProduct("nothing")) { try bed.buyByRelative("nothing") }
  }

  @Test("T26 A refund has the chosen reason")
  func refundReason() async throws {
    let transaction = try await shop.buy("filter")
    try bed.refund(transaction.id, reason: .issueWithApp)
    let refunded = try #require(await Transaction.latest(for: "filter")).unsafePayloadValue
    #expect(refunded.revocationReason == .developerIssue)
  }

  @Test("T17 The file is compared with the ids that the app knows")
  func problems() throws {
    let sold = bed.configuration.products.map(\.productID.rawValue)
    #expect(bed.configuration.problems(knownIDs: sold).isEmpty)
    let problems = bed.configuration.problems(knownIDs: sold.filter { $0 != "coins" } + ["gems"])
    #expect(problems.count == 2)
    #expect(problems.first?.contains("gems") == true)
    #expect(problems.last?.contains("coins") == true)
  }

  @Test("T27 A new entitlement is missing from the first list")
  func lateEntitlement() async throws {
    bed.habits = [.lateEntitlement]
    try await shop.buy("filter")
    #expect(await Session.entitled().isEmpty)
    #expect(await Session.entitled() == ["filter"])
  }

  @Test("T27 The first status after a renewal is expired")
  func expiredAtRenewal() async throws {
    bed.habits = [.expiredAtRenewal]
    try await shop.buy("silver.monthly").finish()
    #expect(try await shop.state() == .subscribed)
    try session.forceRenewalOfSubscription(productIdentifier: "silver.monthly")
    #expect(try await shop.state() == .expired)
    #expect(try await shop.state() == .subscribed)
  }

  @Test("T27 The eligibility for an introductory offer keeps its first answer")
  func firstEligibility() async throws {
    bed.habits = [.firstEligibility]
    #expect(await Product.SubscriptionInfo.isEligibleForIntroOffer(for: "5E5510C0"))
    try await shop.buy("gold.monthly")
    #expect(await Product.SubscriptionInfo.isEligibleForIntroOffer(for: "5E5510C0"))
    bed.habits = []
    #expect(await !Product.SubscriptionInfo.isEligibleForIntroOffer(for: "5E5510C0"))
  }

  @Test("T27 An unfinished transaction arrives twice")
  func unfinishedTwice() async throws {
    bed.habits = [.unfinishedTwice]
    try session.buyProduct(productIdentifier: "coins")
    var updates = Transaction.updates.makeAsyncIterator()
    let first = await updates.next()?.unsafePayloadValue.id
    #expect(await updates.next()?.unsafePayloadValue.id == first)
    #expect(bed.waitingUpdateCount == 0)
  }
}
