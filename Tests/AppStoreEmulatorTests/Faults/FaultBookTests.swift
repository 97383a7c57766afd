import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Which fault strikes which request", .timeLimit(.minutes(10)))
struct FaultBookTests {
  private let now = TeaShop.opening

  private func book(_ faults: Fault..., seed: UInt64 = 1) throws -> FaultBook {
    var book = FaultBook(seed: seed)
    for fault in faults { _ = try book.set(fault, now: now) { _ in false } }
    return book
  }

  private static let confirm = RequestFacts(
    .device(.confirm), installationID: "phone", environment: .sandbox, bundleID: "app", customer: "ada",
    productIDs: ["tea"])

  private static func facts(_ change: (inout RequestFacts) -> Void) -> RequestFacts {
    var facts = confirm
    change(&facts)
    return facts
  }

  @Test("no fault, no trouble")
  func nothing() throws {
    var book = try book()
    #expect(book.strike(Self.confirm, now: now) == nil)
  }

  @Test(
    "each part of a scope admits what it names, and nothing else",
    arguments: [
      (FaultScope(environment: .sandbox), facts { $0.environment = .production }),
      (FaultScope(customer: "ada"), facts { $0.customer = "bob" }),
      (FaultScope(customer: "ada"), facts { $0.customer = nil }),
      (FaultScope(bundleID: "app"), facts { $0.bundleID = "other" }),
      (FaultScope(productID: "tea"), facts { $0.productIDs = ["coffee"] }),
      (FaultScope(installationID: "phone"), facts { $0.installationID = "tablet" }),
      (FaultScope(calls: [.device(.confirm)]), RequestFacts(.device(.finish))),
    ])
  func scopes(scope: FaultScope, other: RequestFacts) throws {
    var book = try book(Fault(ConnectionResetFault(), scope: scope))
    #expect(book.strike(other, now: now) == nil)
    #expect(book.strike(Self.confirm, now: now)?.id == "fault-1")
    #expect(book.entries.map(\.hits) == [1])
  }

  @Test("a request for several products is about each of them")
  func products() throws {
    var book = try book(Fault(ConnectionResetFault(), scope: FaultScope(productID: "tea")))
    #expect(book.strike(RequestFacts(.device(.products), productIDs: ["milk", "tea"]), now: now) != nil)
  }

  @Test("a scope that names no calls means those the kind usually strikes", arguments: RequestKind.allCases)
  func usual(kind: RequestKind) throws {
    var lost = try book(Fault(AnswerLostFault()))
    #expect((lost.strike(RequestFacts(kind), now: now) != nil) == (kind == .device(.confirm)))
    var reset = try book(Fault(ConnectionResetFault()))
    #expect((reset.strike(RequestFacts(kind), now: now) != nil) == (kind != .device(.changes)))
    var outage = try book(Fault(OutageFault()))
    #expect(outage.strike(RequestFacts(kind), now: now) != nil)
  }

  @Test("a fault with a count strikes as often, and then no more; it stays in the list")
  func count() throws {
    var book = try book(Fault(ConnectionResetFault(), count: 2))
    let struck = (1...4).map { _ in book.strike(Self.confirm, now: now) != nil }
    #expect(struck == [true, true, false, false])
    #expect(book.entries.map(\.remaining) == [0])
    #expect(book.entries.map(\.hits) == [2])
    #expect(book.entries.first?.isActive(at: now) == false)
  }

  @Test("a strike that had no effect is given back, to the fault that struck")
  func giveBack() throws {
    var book = try book(Fault(ConnectionResetFault(), id: "x", count: 1))
    let struck = book.strike(Self.confirm, now: now)
    let strike = try #require(struck)
    book.giveBack(strike)
    #expect(book.entries.map(\.remaining) == [1])
    #expect(book.entries.map(\.hits) == [0])
    // Another of the same name gets nothing.
    try book.remove("x")
    _ = try book.set(Fault(ConnectionResetFault(), id: "x", count: 1), now: now) { _ in false }
    book.giveBack(strike)
    #expect(book.entries.map(\.remaining) == [1])
  }

  @Test("of several faults the first that was set strikes; when it is used up, the next")
  func order() throws {
    var book = try book(
      Fault(ConnectionResetFault(), id: "a", count: 1), Fault(AnswerLostFault(), id: "b", count: 1),
      Fault(OutageFault(), id: "c"))
    #expect((1...4).map { _ in book.strike(Self.confirm, now: now)?.id } == ["a", "b", "c", "c"])
  }

  @Test("a fault with a duration ends when the store's clock says so, to the millisecond")
  func duration() throws {
    var book = try book(Fault(OutageFault(), durationSeconds: 60))
    #expect(book.strike(Self.confirm, now: now.adding(milliseconds: 59_999)) != nil)
    #expect(book.strike(Self.confirm, now: now.adding(milliseconds: 60_000)) == nil)
    #expect(book.entries.first?.endDate == now.adding(seconds: 60))
  }

  @Test("chance: the same seed makes the same choices, another seed others, about as often as was asked for")
  func probability() throws {
    func choices(seed: UInt64, own: UInt64? = nil, probability: Double = 0.25) throws -> [Bool] {
      var book = try book(Fault(ConnectionResetFault(), probability: probability, seed: own), seed: seed)
      return (0..<1_000).map { _ in book.strike(Self.confirm, now: now) != nil }
    }
    let first = try choices(seed: 1)
    #expect(try choices(seed: 1) == first)
    #expect(try choices(seed: 2) != first)
    #expect(try choices(seed: 2, own: 9) == choices(seed: 3, own: 9))
    #expect((200...300).contains(first.count { $0 }))
    #expect(try choices(seed: 1, probability: 1).allSatisfy { $0 })
  }

  @Test("the choices of one fault do not depend on requests out of its scope, nor on other faults")
  func independence() throws {
    let fault = Fault(
      ConnectionResetFault(), scope: FaultScope(calls: [.device(.confirm)]), probability: 0.5, seed: 5)
    var alone = try book(fault)
    var among = try book(
      Fault(ConnectionResetFault(), scope: FaultScope(calls: [.device(.finish)]), probability: 0.5), fault)
    for _ in 0..<100 {
      _ = among.strike(RequestFacts(.device(.finish)), now: now)
      #expect((alone.strike(Self.confirm, now: now) != nil) == (among.strike(Self.confirm, now: now) != nil))
    }
  }

  @Test("ids are made up in order, and never twice")
  func ids() throws {
    var book = try book(Fault(OutageFault()), Fault(OutageFault(), id: "fault-3"), Fault(OutageFault()))
    #expect(book.entries.map(\.id) == ["fault-1", "fault-3", "fault-4"])
    #expect(throws: AppStoreEmulatorError.faultExists("fault-3")) {
      try book.set(Fault(OutageFault(), id: "fault-3"), now: now) { _ in false }
    }
    #expect(throws: AppStoreEmulatorError.unknownFault("fault-2")) { try book.remove("fault-2") }
    #expect(throws: AppStoreEmulatorError.unknownFault("fault-2")) { try book.release("fault-2") }
  }

  @Test("the book is bounded: a fault that is used up and that nobody waits for makes room, others do not")
  func bounded() throws {
    var book = try book(
      Fault(ConnectionResetFault(), id: "held", count: 1), Fault(ConnectionResetFault(), id: "spent", count: 1))
    _ = book.strike(Self.confirm, now: now)
    _ = book.strike(Self.confirm, now: now)
    for _ in 2..<FaultBook.largestNumber { _ = try book.set(Fault(OutageFault()), now: now) { _ in false } }
    _ = try book.set(Fault(OutageFault()), now: now) { $0 == "held" }
    #expect(book.entries.count == FaultBook.largestNumber)
    #expect(book.entry("spent") == nil)
    #expect(book.entry("held") != nil)
    #expect(throws: AppStoreEmulatorError.tooManyFaults) {
      try book.set(Fault(OutageFault()), now: now) { $0 == "held" }
    }
    #expect(book.entries.count == FaultBook.largestNumber)
  }

  @Test("what a strike holds is held until the fault is released or removed")
  func holds() throws {
    var book = try book(Fault(HeldRequestFault(), id: "x"))
    let struck = book.strike(Self.confirm, now: now)
    let first = try #require(struck)
    #expect(book.holds(first))
    try book.release("x")
    #expect(!book.holds(first))
    let struckAgain = book.strike(Self.confirm, now: now)
    let second = try #require(struckAgain)
    #expect(book.holds(second))
    try book.remove("x")
    #expect(!book.holds(second))
  }

  static let impossibleFaults: [(Fault, String)] = [
    (Fault(OutageFault(), count: 0), "count"), (Fault(OutageFault(), probability: 0), "probability"),
    (Fault(OutageFault(), probability: 1.01), "probability"), (Fault(OutageFault(), probability: .nan), "probability"),
    (Fault(OutageFault(), durationSeconds: 0), "durationSeconds"), (Fault(OutageFault(), id: ""), "id"),
    (Fault(OutageFault(), scope: FaultScope(calls: [])), "calls"),
    (Fault(DeclinedCardFault(), scope: FaultScope(calls: [.device(.quote)])), "declinedCard cannot strike quote"),
    (Fault(ReceiptStatusFault(.valid)), "Status 0"),
    (Fault(ReceiptStatusFault(.temporarilyUnavailable, isRetryable: true)), "21100"),
    (Fault(ReceiptServerErrorFault(httpStatus: 499)), "httpStatus"),
    (Fault(SlowAnswerFault(milliseconds: 0)), "milliseconds"),
    (Fault(SlowAnswerFault(milliseconds: 600_001)), "milliseconds"),
    (Fault(AppErrorFault(AppError(domain: "", code: 1))), "domain"),
  ]

  @Test("what cannot be is refused with words that name it, and nothing is set", arguments: impossibleFaults.indices)
  func impossible(index: Int) throws {
    let (fault, words) = Self.impossibleFaults[index]
    var book = FaultBook(seed: 1)
    do {
      _ = try book.set(fault, now: now) { _ in false }
      Issue.record("an impossible fault was set")
    } catch {
      #expect(error.description.contains(words), "\(error)")
    }
    #expect(book.entries.isEmpty)
  }
}

extension FaultStrike: Equatable {
  public static func == (left: FaultStrike, right: FaultStrike) -> Bool {
    left.id == right.id && left.ordinal == right.ordinal && left.releases == right.releases
  }
}
