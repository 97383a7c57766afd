import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Which fault strikes which request", .timeLimit(.minutes(30)))
struct ActiveFaultTableTests {
  private let now = TeaShop.opening

  private func makeTable(_ faults: Fault..., seed: UInt64 = 1) throws -> ActiveFaultTable {
    var table = ActiveFaultTable(seed: seed)
    for fault in faults { _ = try table.set(fault, now: now) { _ in false } }
    return table
  }

  private static let confirm = RequestMetadata(
    .device(.confirm), installationID: "phone", environment: .sandbox, bundleID: "app", customer: "ada",
    productIDs: ["tea"])

  private static func metadata(_ change: (inout RequestMetadata) -> Void) -> RequestMetadata {
    var metadata = confirm
    change(&metadata)
    return metadata
  }

  @Test("without a fault nothing fails")
  func nothing() throws {
    var table = try makeTable()
    #expect(table.strike(Self.confirm, now: now) == nil)
  }

  @Test(
    "each part of a scope admits what it names, and nothing else",
    arguments: [
      (FaultScope(environment: .sandbox), metadata { $0.environment = .production }),
      (FaultScope(customer: "ada"), metadata { $0.customer = "bob" }),
      (FaultScope(customer: "ada"), metadata { $0.customer = nil }),
      (FaultScope(bundleID: "app"), metadata { $0.bundleID = "other" }),
      (FaultScope(productID: "tea"), metadata { $0.productIDs = ["coffee"] }),
      (FaultScope(installationID: "phone"), metadata { $0.installationID = "tablet" }),
      (FaultScope(calls: [.device(.confirm)]), RequestMetadata(.device(.finish))),
    ])
  func scopes(scope: FaultScope, other: RequestMetadata) throws {
    var table = try makeTable(Fault(ConnectionResetFault(), scope: scope))
    #expect(table.strike(other, now: now) == nil)
    #expect(table.strike(Self.confirm, now: now)?.id == "fault-1")
    #expect(table.entries.map(\.hits) == [1])
  }

  @Test("a request for several products is about each of them")
  func products() throws {
    var table = try makeTable(Fault(ConnectionResetFault(), scope: FaultScope(productID: "tea")))
    #expect(table.strike(RequestMetadata(.device(.products), productIDs: ["milk", "tea"]), now: now) != nil)
  }

  @Test("a scope that names no calls means those the kind usually strikes", arguments: RequestKind.allCases)
  func usual(kind: RequestKind) throws {
    var lost = try makeTable(Fault(AnswerLostFault()))
    #expect((lost.strike(RequestMetadata(kind), now: now) != nil) == (kind == .device(.confirm)))
    var reset = try makeTable(Fault(ConnectionResetFault()))
    let others = ["ocsp", "notification"]
    #expect(
      (reset.strike(RequestMetadata(kind), now: now) != nil)
        == (kind != .device(.changes) && !others.contains(kind.rawValue)))
    var outage = try makeTable(Fault(OutageFault()))
    #expect((outage.strike(RequestMetadata(kind), now: now) != nil) == !others.contains(kind.rawValue))
  }

  @Test("a fault with a count strikes as often, and then no more; it stays in the list")
  func count() throws {
    var table = try makeTable(Fault(ConnectionResetFault(), count: 2))
    let struck = (1...4).map { _ in table.strike(Self.confirm, now: now) != nil }
    #expect(struck == [true, true, false, false])
    #expect(table.entries.map(\.remaining) == [0])
    #expect(table.entries.map(\.hits) == [2])
    #expect(table.entries.first?.isActive(at: now) == false)
  }

  @Test("a use without effect is returned to the fault that was used")
  func giveBack() throws {
    var table = try makeTable(Fault(ConnectionResetFault(), id: "x", count: 1))
    let struck = table.strike(Self.confirm, now: now)
    let strike = try #require(struck)
    table.giveBack(strike)
    #expect(table.entries.map(\.remaining) == [1])
    #expect(table.entries.map(\.hits) == [0])
    // A later fault with the same id is not changed.
    try table.remove("x")
    _ = try table.set(Fault(ConnectionResetFault(), id: "x", count: 1), now: now) { _ in false }
    table.giveBack(strike)
    #expect(table.entries.map(\.remaining) == [1])
  }

  @Test("of several faults the first that was set strikes; when it is used up, the next")
  func order() throws {
    var table = try makeTable(
      Fault(ConnectionResetFault(), id: "a", count: 1), Fault(AnswerLostFault(), id: "b", count: 1),
      Fault(OutageFault(), id: "c"))
    #expect((1...4).map { _ in table.strike(Self.confirm, now: now)?.id } == ["a", "b", "c", "c"])
  }

  @Test("a fault with a duration ends when the store's clock says so, to the millisecond")
  func duration() throws {
    var table = try makeTable(Fault(OutageFault(), durationSeconds: 60))
    #expect(table.strike(Self.confirm, now: now.adding(milliseconds: 59_999)) != nil)
    #expect(table.strike(Self.confirm, now: now.adding(milliseconds: 60_000)) == nil)
    #expect(table.entries.first?.endDate == now.adding(seconds: 60))
  }

  @Test("chance: the same seed makes the same choices, another seed others, about as often as was asked for")
  func probability() throws {
    func choices(seed: UInt64, own: UInt64? = nil, probability: Double = 0.25) throws -> [Bool] {
      var table = try makeTable(Fault(ConnectionResetFault(), probability: probability, seed: own), seed: seed)
      return (0..<1_000).map { _ in table.strike(Self.confirm, now: now) != nil }
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
    var alone = try makeTable(fault)
    var among = try makeTable(
      Fault(ConnectionResetFault(), scope: FaultScope(calls: [.device(.finish)]), probability: 0.5), fault)
    for _ in 0..<100 {
      _ = among.strike(RequestMetadata(.device(.finish)), now: now)
      #expect((alone.strike(Self.confirm, now: now) != nil) == (among.strike(Self.confirm, now: now) != nil))
    }
  }

  @Test("ids are given in order, and never twice")
  func ids() throws {
    var table = try makeTable(Fault(OutageFault()), Fault(OutageFault(), id: "fault-3"), Fault(OutageFault()))
    #expect(table.entries.map(\.id) == ["fault-1", "fault-3", "fault-4"])
    #expect(throws: AppStoreEmulatorError.faultExists("fault-3")) {
      try table.set(Fault(OutageFault(), id: "fault-3"), now: now) { _ in false }
    }
    #expect(throws: AppStoreEmulatorError.unknownFault("fault-2")) { try table.remove("fault-2") }
    #expect(throws: AppStoreEmulatorError.unknownFault("fault-2")) { try table.release("fault-2") }
  }

  @Test("the table is bounded: a fault that is used up, with no waiting call, makes room; others do not")
  func bounded() throws {
    var table = try makeTable(
      Fault(ConnectionResetFault(), id: "held", count: 1), Fault(ConnectionResetFault(), id: "spent", count: 1))
    _ = table.strike(Self.confirm, now: now)
    _ = table.strike(Self.confirm, now: now)
    for _ in 2..<ActiveFaultTable.largestNumber { _ = try table.set(Fault(OutageFault()), now: now) { _ in false } }
    _ = try table.set(Fault(OutageFault()), now: now) { $0 == "held" }
    #expect(table.entries.count == ActiveFaultTable.largestNumber)
    #expect(table.entry("spent") == nil)
    #expect(table.entry("held") != nil)
    #expect(throws: AppStoreEmulatorError.tooManyFaults) {
      try table.set(Fault(OutageFault()), now: now) { $0 == "held" }
    }
    #expect(table.entries.count == ActiveFaultTable.largestNumber)
  }

  @Test("what a strike holds is held until the fault is released or removed")
  func holds() throws {
    var table = try makeTable(Fault(HeldRequestFault(), id: "x"))
    let struck = table.strike(Self.confirm, now: now)
    let first = try #require(struck)
    #expect(table.holds(first))
    try table.release("x")
    #expect(!table.holds(first))
    let struckAgain = table.strike(Self.confirm, now: now)
    let second = try #require(struckAgain)
    #expect(table.holds(second))
    try table.remove("x")
    #expect(!table.holds(second))
  }

  static let impossibleFaults: [(Fault, String)] = [
    (Fault(OutageFault(), count: 0), "count"), (Fault(OutageFault(), probability: 0), "probability"),
    (Fault(OutageFault(), probability: 1.01), "probability"), (Fault(OutageFault(), probability: .nan), "probability"),
    (Fault(OutageFault(), durationSeconds: 0), "durationSeconds"), (Fault(OutageFault(), id: ""), "id"),
    (Fault(OutageFault(), scope: FaultScope(calls: [])), "calls"),
    (Fault(DeclinedCardFault(), scope: FaultScope(calls: [.device(.quote)])), "declinedCard cannot strike quote"),
    (Fault(OutageFault(), scope: FaultScope(calls: [.device(.finish)], productID: "tea")), "productId"),
    (Fault(ReceiptStatusFault(.temporarilyUnavailable), scope: FaultScope(customer: "ada")), "neither customer"),
    (Fault(OutageFault(), scope: FaultScope(calls: [.verifyReceipt], installationID: "phone")), "nor installation"),
    (Fault(ReceiptStatusFault(.valid)), "Status 0"),
    (Fault(ReceiptStatusFault(.temporarilyUnavailable, isRetryable: true)), "21100"),
    (Fault(ReceiptServerErrorFault(httpStatus: 499)), "httpStatus"),
    (Fault(SlowAnswerFault(milliseconds: 0)), "milliseconds"),
    (Fault(SlowAnswerFault(milliseconds: 600_001)), "milliseconds"),
    (Fault(AppErrorFault(AppError(domain: "", code: 1))), "domain"),
  ]

  @Test("what cannot be is refused with words that name it, and nothing is set", arguments: impossibleFaults.indices)
  func impossible(index: Int) throws {
    let (fault, text) = Self.impossibleFaults[index]
    var table = ActiveFaultTable(seed: 1)
    do {
      _ = try table.set(fault, now: now) { _ in false }
      Issue.record("an impossible fault was set")
    } catch {
      #expect(error.description.contains(text), "\(error)")
    }
    #expect(table.entries.isEmpty)
  }
}

extension FaultStrike: Equatable {
  public static func == (left: FaultStrike, right: FaultStrike) -> Bool {
    left.id == right.id && left.ordinal == right.ordinal && left.releases == right.releases
  }
}
