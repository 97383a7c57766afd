import StoreModel

/// The faults that are set, and which of them strikes: decided in values, without clock, lock or effect.
struct FaultTable: Sendable {
  /// A fault that is set, and what came of it so far.
  struct Entry: Sendable {
    let id: FaultID
    let fault: Fault
    /// How many faults were set before it.
    let ordinal: Int
    let setDate: StoreDate
    /// When it ends by itself.
    let endDate: StoreDate?
    var remaining: Int?
    var hits = 0
    /// How often it was released.
    var releases = 0
    var generator: SeededGenerator

    /// Whether it may strike again.
    func isActive(at now: StoreDate) -> Bool { remaining != 0 && endDate.map { now < $0 } ?? true }
  }

  /// From which the choices of faults follow that bring no seed of their own.
  let seed: UInt64
  /// In the order in which they were set.
  private(set) var entries: [Entry] = []
  private var nextOrdinal = 0

  /// How many can be set at once. Beyond it, setting another drops the oldest that will not strike any more.
  static let largestNumber = FaultID.maximumCount

  init(seed: UInt64) { self.seed = seed }

  /// - Throws: ``AppStoreEmulatorError``; the table is then unchanged.
  mutating func set(
    _ fault: Fault, now: StoreDate, isWaitedFor: (FaultID) -> Bool
  ) throws(AppStoreEmulatorError) -> Entry {
    if let problem = fault.problem { throw .impossibleFault(problem) }
    let id = fault.id ?? newID()
    if entry(id) != nil { throw .faultExists(id) }
    if entries.count >= Self.largestNumber {
      guard let spent = entries.firstIndex(where: { !$0.isActive(at: now) && !isWaitedFor($0.id) }) else {
        throw .tooManyFaults
      }
      entries.remove(at: spent)
    }
    // SplitMix64's own step: neighbouring ordinals give sequences that have nothing to do with each other.
    let ownSeed = seed &+ UInt64(nextOrdinal) &* 0xD134_2543_DE82_EF95
    let entry = Entry(
      id: id, fault: fault, ordinal: nextOrdinal, setDate: now,
      endDate: fault.durationSeconds.map { now.adding(seconds: $0) }, remaining: fault.count,
      generator: SeededGenerator(seed: fault.seed ?? ownSeed))
    entries.append(entry)
    nextOrdinal += 1
    return entry
  }

  private func newID() -> FaultID {
    var number = nextOrdinal + 1
    while entry(FaultID("fault-\(number)")) != nil { number += 1 }
    return FaultID("fault-\(number)")
  }

  /// The fault that strikes the request: the first that was set, of those that are for it and that chance admits.
  mutating func strike(_ metadata: RequestMetadata, now: StoreDate) -> FaultStrike? {
    for index in entries.indices {
      let fault = entries[index].fault
      guard entries[index].isActive(at: now), fault.calls.contains(metadata.kind), fault.scope.admits(metadata) else {
        continue
      }
      if let probability = fault.probability {
        // 53 bits, all that a Double between 0 and 1 can tell apart.
        let draw = Double(entries[index].generator.next() >> 11) * 0x1p-53
        guard draw < probability else { continue }
      }
      entries[index].hits += 1
      entries[index].remaining = entries[index].remaining.map { $0 - 1 }
      return FaultStrike(
        id: entries[index].id, ordinal: entries[index].ordinal, releases: entries[index].releases, fault: fault)
    }
    return nil
  }

  /// Takes a strike back that had no effect.
  mutating func giveBack(_ strike: FaultStrike) {
    guard let index = index(of: strike) else { return }
    entries[index].hits -= 1
    entries[index].remaining = entries[index].remaining.map { $0 + 1 }
  }

  /// Whether what a strike holds is still to be held: the fault was neither removed nor released since.
  func holds(_ strike: FaultStrike) -> Bool {
    index(of: strike).map { entries[$0].releases == strike.releases } ?? false
  }

  /// - Throws: ``AppStoreEmulatorError/unknownFault(_:)``.
  mutating func release(_ id: FaultID) throws(AppStoreEmulatorError) {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { throw .unknownFault(id) }
    entries[index].releases += 1
  }

  /// - Throws: ``AppStoreEmulatorError/unknownFault(_:)``.
  mutating func remove(_ id: FaultID) throws(AppStoreEmulatorError) {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { throw .unknownFault(id) }
    entries.remove(at: index)
  }

  mutating func removeAll() { entries = [] }

  func entry(_ id: FaultID) -> Entry? { entries.first { $0.id == id } }

  /// Whether some fault asks what app a `verifyReceipt` is about.
  var asksForReceiptsApp: Bool {
    entries.contains { $0.fault.scope.bundleID != nil && $0.fault.calls.contains(.verifyReceipt) }
  }

  private func index(of strike: FaultStrike) -> Int? {
    // The ordinal too: another fault may bear the same id by now.
    entries.firstIndex { $0.id == strike.id && $0.ordinal == strike.ordinal }
  }
}

/// A fault that struck a request.
struct FaultStrike: Sendable {
  let id: FaultID
  let ordinal: Int
  /// How often the fault had been released before.
  let releases: Int
  let effect: FaultEffect
  let kindName: String

  init(id: FaultID, ordinal: Int, releases: Int, fault: Fault) {
    self.id = id
    self.ordinal = ordinal
    self.releases = releases
    effect = fault.kind.effect
    kindName = type(of: fault.kind).name
  }

  var journaled: JournaledRequest.StruckBy { JournaledRequest.StruckBy(id: id, kind: kindName) }
}
