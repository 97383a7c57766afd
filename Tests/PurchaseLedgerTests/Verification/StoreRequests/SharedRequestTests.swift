import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("Simultaneous requests to the store", .timeLimit(.minutes(30)))
struct SharedRequestTests {
  private func wait(_ scripted: ScriptedVerifier, until waiting: Int) async {
    while await scripted.verifier.client.waiting < waiting { await Task.yield() }
  }

  @Test("verifications of one proof share one request, and each gets the answer")
  func shared() async throws {
    let scripted = try ScriptedVerifier([StoreAnswer.app()])
    let gate = Gate()
    scripted.server.wait(for: gate)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<10 { group.addTask { try await scripted.verify().purchases.count } }
      await wait(scripted, until: 10)
      await gate.open()
      for try await purchases in group { #expect(purchases == 1) }
    }
    #expect(scripted.server.requests.count == 1)
    _ = try await scripted.verify()
    #expect(scripted.server.requests.count == 2)
  }

  @Test("an answer is reused for the same receipt and app as long as the policy allows, and a refusal never")
  func reused() async throws {
    let scripted = try ScriptedVerifier([StoreAnswer.app(), StoreAnswer.app()]) { $0.reuseSeconds = 5 }
    let other = PurchaseProof.appReceipt(Data([0x30, 1]))
    for _ in 0..<3 { _ = try await scripted.verify() }
    #expect(scripted.server.requests.count == 1)
    #expect(await !scripted.verifier.requiresStoreRequest(about: ScriptedVerifier.receipt, for: StoreAnswer.app))
    #expect(await scripted.verifier.requiresStoreRequest(about: other, for: StoreAnswer.app))
    _ = try await scripted.verify(other)
    #expect(scripted.server.requests.count == 2)
    scripted.time.advance(milliseconds: 5_000)
    #expect(await scripted.verifier.requiresStoreRequest(about: ScriptedVerifier.receipt, for: StoreAnswer.app))
    _ = try await scripted.verify()
    #expect(scripted.server.requests.count == 3)

    let refusing = try ScriptedVerifier([.status(21_010)]) { $0.reuseSeconds = 5 }
    for _ in 0..<2 { #expect(await refusing.refusal() == .accountNotFound) }
    #expect(refusing.server.requests.count == 2)
  }

  @Test("different proofs are different requests")
  func different() async throws {
    let scripted = try ScriptedVerifier([StoreAnswer.app()])
    let gate = Gate()
    scripted.server.wait(for: gate)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<5 { group.addTask { _ = try await scripted.verify(.appReceipt(Data([0x30, UInt8(number)]))) } }
      await wait(scripted, until: 5)
      await gate.open()
      try await group.waitForAll()
    }
    #expect(scripted.server.requests.count == 5)
  }

  @Test("the number of different receipts is limited; more callers may wait for the same one")
  func limit() async throws {
    let scripted = try ScriptedVerifier([StoreAnswer.app()], requestLimit: 2)
    let gate = Gate()
    scripted.server.wait(for: gate)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in [1, 2, 2] as [UInt8] {
        group.addTask { _ = try await scripted.verify(.appReceipt(Data([0x30, number]))) }
      }
      await wait(scripted, until: 3)
      #expect(await scripted.refusal(.appReceipt(Data([0x30, 3]))) == .storeUnavailable(retryAfterSeconds: 30))
      await gate.open()
      try await group.waitForAll()
    }
    #expect(scripted.server.requests.count == 2)
    #expect(await scripted.refusal(.appReceipt(Data([0x30, 3]))) == nil)
  }

  @Test("a cancelled caller does not cancel the request for others")
  func cancelled() async throws {
    let scripted = try ScriptedVerifier([StoreAnswer.app()])
    let gate = Gate()
    scripted.server.wait(for: gate)
    let first = Task { try await scripted.verify().purchases.count }
    await wait(scripted, until: 1)
    let second = Task { try await scripted.verify().purchases.count }
    await wait(scripted, until: 2)
    first.cancel()
    await gate.open()
    #expect(try await second.value == 1)
    #expect(scripted.server.requests.count == 1)
  }
}
