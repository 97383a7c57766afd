import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("Questions to the store at the same time", .timeLimit(.minutes(10)))
struct SharedQuestionTests {
  private func wait(_ counter: Counter, until waiting: Int) async {
    while await counter.verifier.client.waiting < waiting { await Task.yield() }
  }

  @Test("verifications of one proof share one question, and each has the answer")
  func shared() async throws {
    let counter = try Counter([StoreAnswer.app()])
    let gate = Gate()
    counter.server.wait(for: gate)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<10 { group.addTask { try await counter.verify().purchases.count } }
      await wait(counter, until: 10)
      await gate.open()
      for try await purchases in group { #expect(purchases == 1) }
    }
    #expect(counter.server.requests.count == 1)
    _ = try await counter.verify()
    #expect(counter.server.requests.count == 2)
  }

  @Test("an answer counts for the same receipt of the same app so long as the policy says, and a refusal never")
  func reused() async throws {
    let counter = try Counter([StoreAnswer.app(), StoreAnswer.app()]) { $0.reuseSeconds = 5 }
    let other = PurchaseProof.appReceipt(Data([0x30, 1]))
    for _ in 0..<3 { _ = try await counter.verify() }
    #expect(counter.server.requests.count == 1)
    #expect(!counter.verifier.asksStore(about: Counter.receipt, for: StoreAnswer.app))
    #expect(counter.verifier.asksStore(about: other, for: StoreAnswer.app))
    _ = try await counter.verify(other)
    #expect(counter.server.requests.count == 2)
    counter.time.advance(milliseconds: 5_000)
    #expect(counter.verifier.asksStore(about: Counter.receipt, for: StoreAnswer.app))
    _ = try await counter.verify()
    #expect(counter.server.requests.count == 3)

    let refusing = try Counter([.status(21_010)]) { $0.reuseSeconds = 5 }
    for _ in 0..<2 { #expect(await refusing.refusal() == .accountNotFound) }
    #expect(refusing.server.requests.count == 2)
  }

  @Test("different proofs are different questions")
  func different() async throws {
    let counter = try Counter([StoreAnswer.app()])
    let gate = Gate()
    counter.server.wait(for: gate)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<5 { group.addTask { _ = try await counter.verify(.appReceipt(Data([0x30, UInt8(number)]))) } }
      await wait(counter, until: 5)
      await gate.open()
      try await group.waitForAll()
    }
    #expect(counter.server.requests.count == 5)
  }

  @Test("no more receipts are asked about at a time than the limit; the same one may be waited for by more")
  func limit() async throws {
    let counter = try Counter([StoreAnswer.app()], questionLimit: 2)
    let gate = Gate()
    counter.server.wait(for: gate)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in [1, 2, 2] as [UInt8] {
        group.addTask { _ = try await counter.verify(.appReceipt(Data([0x30, number]))) }
      }
      await wait(counter, until: 3)
      #expect(await counter.refusal(.appReceipt(Data([0x30, 3]))) == .storeUnavailable(retryAfterSeconds: 30))
      await gate.open()
      try await group.waitForAll()
    }
    #expect(counter.server.requests.count == 2)
    #expect(await counter.refusal(.appReceipt(Data([0x30, 3]))) == nil)
  }

  @Test("one who is cancelled takes the answer from nobody")
  func cancelled() async throws {
    let counter = try Counter([StoreAnswer.app()])
    let gate = Gate()
    counter.server.wait(for: gate)
    let first = Task { try await counter.verify().purchases.count }
    await wait(counter, until: 1)
    let second = Task { try await counter.verify().purchases.count }
    await wait(counter, until: 2)
    first.cancel()
    await gate.open()
    #expect(try await second.value == 1)
    #expect(counter.server.requests.count == 1)
  }
}
