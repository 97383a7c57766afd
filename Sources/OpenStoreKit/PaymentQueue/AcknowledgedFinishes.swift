/// Decides when the journal may remove an entry whose finish the store has acknowledged.
///
/// A list of unfinished transactions that was requested before the acknowledgement may still contain the transaction,
/// even if the list arrives much later. Until all such lists have arrived or failed, the entry stays in the journal as
/// `finishing`. In this state, a list that contains the transaction does not change the entry, and the app does not
/// receive the transaction again. If the process dies meanwhile, the next launch sends the finish again.
struct AcknowledgedFinishes: Sendable {
  /// A request for a list of unfinished transactions.
  struct ListRequest: Hashable, Sendable {
    fileprivate let number: Int
  }

  private var lastNumber = 0
  private var underWay: Set<ListRequest> = []
  /// The lists that may still contain the transaction of an entry, by the entry's number. The sets are never empty.
  private var waiting: [Int64: Set<ListRequest>] = [:]

  /// Whether the store has acknowledged the finish of an entry that is still in the journal. The finish must not be
  /// sent again.
  func contains(_ sequence: Int64) -> Bool { waiting[sequence] != nil }

  /// Whether a list is requested that has not been recorded yet.
  var isListing: Bool { !underWay.isEmpty }

  /// Called before a list is requested.
  mutating func listBegins() -> ListRequest {
    lastNumber += 1
    let request = ListRequest(number: lastNumber)
    underWay.insert(request)
    return request
  }

  /// Called when a list was recorded in the journal, or will never arrive.
  ///
  /// - Returns: the entries that may be removed now, in order.
  mutating func listEnded(_ request: ListRequest) -> [Int64] {
    underWay.remove(request)
    for sequence in waiting.keys { waiting[sequence]?.remove(request) }
    let free = waiting.filter(\.value.isEmpty).keys.sorted()
    for sequence in free { waiting[sequence] = nil }
    return free
  }

  /// Called when the store has acknowledged the finish of an entry.
  ///
  /// - Returns: whether the entry may be removed at once.
  mutating func acknowledged(_ sequence: Int64) -> Bool {
    if !underWay.isEmpty { waiting[sequence] = underWay }
    return underWay.isEmpty
  }
}
