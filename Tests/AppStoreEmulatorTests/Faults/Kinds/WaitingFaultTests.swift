import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The faults that keep callers waiting", .timeLimit(.minutes(30)))
struct WaitingFaultTests {
  @Test("C4 heldRequest: nothing is done until it is released, and then all is")
  func heldRequest() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    let before = try await shop.records()
    try shop.store.set(Fault(HeldRequestFault(), id: "hold"))
    async let confirmation = shop.store.confirm(quote, for: phone.id)
    try await shop.store.untilFault("hold", holds: 1)
    #expect(try await shop.records() == before)
    #expect(shop.store.requests(RequestFilter(.device(.confirm))).map(\.outcome) == [.underWay])
    #expect(try shop.store.fault("hold").waiting == 1)
    #expect(try shop.store.releaseFault("hold") == 1)
    _ = try await confirmation.purchase()
    #expect(try await shop.store.charges().count == 1)
    #expect(try shop.store.fault("hold").waiting == 0)
    #expect(try shop.store.releaseFault("hold") == 0)
  }

  @Test("C4 heldAnswer: done and committed while the answer is kept; removing the fault lets it go")
  func heldAnswer() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    try shop.store.set(Fault(HeldAnswerFault(), id: "hold", count: 1))
    async let confirmation = shop.store.confirm(quote, for: phone.id)
    try await shop.store.untilFault("hold")
    #expect(try await shop.store.charges().count == 1)
    // The fault is used up, but stays in the table until its call is released.
    #expect(try shop.store.fault("hold").isActive == false)
    try shop.store.removeFault("hold")
    _ = try await confirmation.purchase()
    #expect(shop.store.faults().isEmpty)
  }

  @Test("C4 heldSheet: the quote is kept, so that there is nothing to confirm; other calls go on")
  func heldSheet() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try shop.store.set(Fault(HeldSheetFault(), id: "sheet"))
    async let quote = shop.quote(on: phone)
    try await shop.store.untilFault("sheet")
    _ = try await shop.store.products([], for: phone.id)
    #expect(shop.store.removeFaults() == 1)
    _ = try await shop.store.confirm(try await quote, for: phone.id).purchase()
  }

  @Test("a release lets go what came before it, and nothing that comes later")
  func releaseInTurn() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try shop.store.set(Fault(HeldSheetFault(), id: "sheet"))
    async let first = shop.quote(as: "1", on: phone)
    async let second = shop.quote(as: "2", on: phone)
    try await shop.store.untilFault("sheet", holds: 2)
    #expect(try shop.store.releaseFault("sheet") == 2)
    _ = try await (first, second)
    async let third = shop.quote(as: "3", on: phone)
    try await shop.store.untilFault("sheet")
    #expect(shop.store.requests(RequestFilter(.device(.quote), paymentID: "3")).map(\.outcome) == [.underWay])
    try shop.store.removeFault("sheet")
    _ = try await third
  }

  @Test("C4 noAnswer: nothing is done and nothing said; released, the connection breaks")
  func noAnswer() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    let before = try await shop.records()
    try shop.store.set(Fault(NoAnswerFault(), id: "quiet"))
    async let confirmed = end { _ = try await shop.store.confirm(quote, for: phone.id) }
    try await shop.store.untilFault("quiet")
    try shop.store.releaseFault("quiet")
    #expect(try await confirmed == .noAnswer)
    #expect(try await shop.records() == before)
  }

  /// A sleep that the test ends, and that reports its length when it begins.
  private final class Pauses: Sendable {
    let begun = AsyncStream.makeStream(of: Int.self)
    private let ended = AsyncStream.makeStream(of: Void.self)

    @Sendable func sleep(_ duration: Duration) async {
      begun.continuation.yield(Int(duration.milliseconds))
      for await _ in ended.stream { return }
    }

    func end() { ended.continuation.yield() }
  }

  @Test("C4 slowAnswer: done at once, answered when its time is over", arguments: [false, true])
  func slowAnswer(isReleased: Bool) async throws {
    let pauses = Pauses()
    let shop = try await TeaShop(sleep: pauses.sleep)
    let phone = try await shop.phone()
    try shop.store.set(
      Fault(SlowAnswerFault(milliseconds: 1_500), id: "slow", scope: FaultScope(calls: [.device(.confirm)])))
    async let purchase = shop.buy(on: phone)
    #expect(await pauses.begun.stream.first { _ in true } == 1_500)
    #expect(try await shop.store.charges().count == 1)
    #expect(shop.store.requests(RequestFilter(.device(.confirm))).map(\.outcome) == [.underWay])
    if isReleased {
      try shop.store.releaseFault("slow")
    } else {
      pauses.end()
    }
    #expect(try await purchase.deliveries.count == 1)
  }

  @Test("the machine's own time is what a slow answer takes, unless a test passes in another")
  func realPause() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try shop.store.set(Fault(SlowAnswerFault(milliseconds: 1)))
    _ = try await shop.store.products([], for: phone.id)
    #expect(try shop.store.fault("fault-1").hits == 1)
  }

  @Test("a cancelled caller stops waiting, before or after the call is carried out", arguments: [false, true])
  func cancelled(isCarriedOut: Bool) async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    try shop.store.set(Fault(isCarriedOut ? HeldAnswerFault() : HeldRequestFault(), id: "hold"))
    let task = Task { try await end { _ = try await shop.store.confirm(quote, for: phone.id) } }
    try await shop.store.untilFault("hold")
    task.cancel()
    #expect(try await task.value == .cancelled)
    #expect(try await shop.store.charges().count == (isCarriedOut ? 1 : 0))
    #expect(try shop.store.fault("hold").waiting == 0)
    #expect(shop.store.requests(RequestFilter(.device(.confirm))).map(\.outcome) == [.noAnswer])
  }

  @Test("a caller that leaves is not waited for, and what was begun is done", arguments: [false, true])
  func leaves(isCarriedOut: Bool) async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    let caller = LeavingCaller()
    try shop.store.set(Fault(isCarriedOut ? HeldAnswerFault() : NoAnswerFault(), id: "hold"))
    async let ended = end {
      _ = try await shop.store.send(ConfirmCall(quote: quote), for: phone.id, caller: caller)
    }
    try await shop.store.untilFault("hold")
    caller.leave()
    #expect(try await ended == .cancelled)
    #expect(try await shop.store.charges().count == (isCarriedOut ? 1 : 0))
    #expect(try shop.store.fault("hold").waiting == 0)
  }

  @Test("a caller that left before does not hinder what was asked")
  func leftBefore() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    let caller = LeavingCaller()
    caller.leave()
    _ = try await shop.store.send(ConfirmCall(quote: quote), for: phone.id, caller: caller).purchase()
    let changes = try await shop.store.send(
      ChangesCall(after: ChangeCursor(rawValue: 0), waitSeconds: 60), for: phone.id, caller: caller)
    #expect(changes.changes.isEmpty)
  }

  @Test("closing the store ends every wait, without an answer")
  func closed() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    try shop.store.set(Fault(HeldRequestFault(), id: "request", scope: FaultScope(calls: [.device(.confirm)])))
    try shop.store.set(Fault(HeldAnswerFault(), id: "answer", scope: FaultScope(calls: [.device(.products)])))
    async let confirmed = end { _ = try await shop.store.confirm(quote, for: phone.id) }
    async let listed = end { _ = try await shop.store.products([], for: phone.id) }
    try await shop.store.untilFault("request")
    try await shop.store.untilFault("answer")
    try shop.store.close()
    #expect(try await confirmed == .noAnswer)
    #expect(try await listed == .noAnswer)
  }

  @Test("waiting for a fault that is removed ends, with words")
  func removedMeanwhile() async throws {
    let shop = try await TeaShop()
    try shop.store.set(Fault(HeldRequestFault(), id: "hold"))
    let waiting = Task { try await shop.store.untilFault("hold") }
    try shop.store.removeFault("hold")
    await #expect(throws: AppStoreEmulatorError.unknownFault("hold")) { try await waiting.value }
  }
}
