import StoreModel

/// The faults that are set, and the choice of the fault that applies to a request. It has no clock, no lock and no side
/// effects.
struct ActiveFaultTable: Sendable {
  /// A fault that is set, with its counters.
  struct Entry: Sendable {
    let id: FaultID
    let fault: Fault
    /// The number of faults that were set before it.
    let ordinal: Int
    let setDate: StoreDate
    /// The date at which it ends by itself; nil if it does not.
    let endDate: StoreDate?
    var remaining: Int?
    var hits = 0
    /// The number of times that it was released.
    var releases = 0
    var generator: SeededGenerator

    /// Whether it may apply to another request.
    func isActive(at now: StoreDate) -> Bool { remaining != 0 && endDate.map { now < $0 } ?? true }
  }

  /// The seed of the random choices of faults without their own seed.
  let seed: UInt64
  /// In the order in which they were set.
  private(set) var entries: [Entry] = []
  private var nextOrdinal = 0

  /// The maximum number of faults. If it is reached, setting another fault removes the oldest inactive fault, or throws
  /// an error if no fault can be removed.
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
    // The factor differs from SplitMix64's step. With that step, each fault would have the random numbers of the
    // previous fault, shifted by one.
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

  /// Returns the fault that applies to a request: of the active faults whose scope and probability select the request,
  /// the one that was set first.
  mutating func strike(_ metadata: RequestMetadata, now: StoreDate) -> FaultStrike? {
    for index in entries.indices {
      let fault = entries[index].fault
      guard entries[index].isActive(at: now), fault.calls.contains(metadata.kind), fault.scope.admits(metadata) else {
        continue
      }
      if let probability = fault.probability {
        // 53 bits are the precision of a Double.
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

  /// Corrects the counters for a fault that had no effect on a request.
  mutating func giveBack(_ strike: FaultStrike) {
    guard let index = index(of: strike) else { return }
    entries[index].hits -= 1
    entries[index].remaining = entries[index].remaining.map { $0 + 1 }
  }

  /// Whether a request must still wait: its fault has not been removed or released since it was applied.
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

  /// Whether the scope of a fault selects requests of `kind` by app.
  func asksForApp(of kind: RequestKind) -> Bool {
    entries.contains { $0.fault.scope.bundleID != nil && $0.fault.calls.contains(kind) }
  }

  private func index(of strike: FaultStrike) -> Int? {
    // Compares the ordinal as well, because a later fault may have the same id.
    entries.firstIndex { $0.id == strike.id && $0.ordinal == strike.ordinal }
  }
}

/// The application of one fault to one request.
struct FaultStrike: Sendable {
  let id: FaultID
  let ordinal: Int
  /// The number of releases of the fault before it was applied.
  let releases: Int
  let kind: any FaultKind

  init(id: FaultID, ordinal: Int, releases: Int, fault: Fault) {
    self.id = id
    self.ordinal = ordinal
    self.releases = releases
    kind = fault.kind
  }

  var kindName: String { type(of: kind).name }
  var journaled: JournaledRequest.StruckBy { JournaledRequest.StruckBy(id: id, kind: kindName) }
}
