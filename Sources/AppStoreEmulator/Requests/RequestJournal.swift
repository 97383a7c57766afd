import Foundation
import StoreModel

/// Every request that came through a door, and how it ended. In memory only: it is there to be asserted on.
final class RequestJournal: @unchecked Sendable {
  private let lock = NSLock()
  private var log: RequestLog { didSet { activity.note() } }
  /// Rings when a request begins, or changes.
  private let bell: ChangeBell
  private let activity: StoreActivity

  init(capacity: Int, bell: ChangeBell, activity: StoreActivity) {
    log = RequestLog(capacity: capacity)
    self.activity = activity
    self.bell = bell
  }

  func begin(_ facts: RequestFacts, date: StoreDate, fault: JournaledRequest.StruckBy?) -> Int64 {
    let facts = facts.bounded
    defer { bell.ring() }
    return lock.withLock { log.append(facts, date: date, fault: fault) }
  }

  func change(_ sequence: Int64, _ change: (inout JournaledRequest) -> Void) {
    lock.withLock { log.change(sequence, change) }
    bell.ring()
  }

  /// The first request that `filter` admits, once there is one.
  func firstRequest(_ filter: RequestFilter) async throws -> JournaledRequest {
    while true {
      let rings = bell.rings
      if let request = requests(filter, limit: .max).first { return request }
      try Task.checkCancellation()
      await bell.wait(beyond: rings, seconds: 60)
    }
  }

  func requests(_ filter: RequestFilter, limit: Int) -> [JournaledRequest] {
    lock.withLock { log.requests(filter, limit: limit) }
  }

  var extent: RequestJournalExtent {
    lock.withLock { RequestJournalExtent(kept: log.count, dropped: log.dropped, last: log.next - 1) }
  }

  func clear() -> Int { lock.withLock { log.clear() } }
}

/// How much the journal holds.
public struct RequestJournalExtent: Hashable, Sendable {
  public let kept: Int
  /// How many were dropped, oldest first, because the journal was full; since it was last cleared.
  public let dropped: Int64
  /// The number of the newest request, also if it was cleared away; 0 before the first.
  public let last: Int64
}

extension EmulatedAppStore {
  /// How many requests the journal keeps.
  static let journalCapacity = 10_000

  /// The requests that `filter` admits, oldest first. A test's way to assert on what was asked, and what came of it.
  ///
  /// - Parameter limit: of more than these, the newest; at least 0.
  public func requests(_ filter: RequestFilter = RequestFilter(), limit: Int = .max) -> [JournaledRequest] {
    requestJournal.requests(filter, limit: limit)
  }

  /// The oldest request in the journal that `filter` admits. Waits until there is one: a test's way to wait for a device.
  ///
  /// ```swift
  /// _ = try await store.request(RequestFilter(.device(.finish), outcome: .answered))
  /// ```
  ///
  /// - Throws: `CancellationError`.
  public func request(_ filter: RequestFilter) async throws -> JournaledRequest {
    try await requestJournal.firstRequest(filter)
  }

  public var requestJournalExtent: RequestJournalExtent { requestJournal.extent }

  /// Empties the journal, and says how many requests were in it.
  @discardableResult
  public func clearRequests() -> Int { requestJournal.clear() }
}
