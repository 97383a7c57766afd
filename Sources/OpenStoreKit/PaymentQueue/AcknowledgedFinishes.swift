/// Decides when the journal may forget a finish that the store has acknowledged.
///
/// A list of unfinished transactions that was asked for before the acknowledgement may still name the transaction,
/// however late the list arrives. Until every such list has ended, the entry stays in the journal as `finishing`, where
/// the list's transaction finds it and changes nothing. A process that dies meanwhile sends the finish again.
struct AcknowledgedFinishes: Sendable {
  /// A list that was asked for and has not ended.
  struct ListRequest: Hashable, Sendable {
    fileprivate let number: Int
  }

  private var lastNumber = 0
  private var underWay: Set<ListRequest> = []
  /// By the entry's number: the lists that may still name its transaction. Never empty.
  private var waiting: [Int64: Set<ListRequest>] = [:]

  /// Whether the store has acknowledged the finish of that entry, which must not be sent again.
  func contains(_ sequence: Int64) -> Bool { waiting[sequence] != nil }

  /// To be called before a list is asked for.
  mutating func listBegins() -> ListRequest {
    lastNumber += 1
    let request = ListRequest(number: lastNumber)
    underWay.insert(request)
    return request
  }

  /// To be called once a list has been recorded in the journal, or will never arrive.
  ///
  /// - Returns: the entries that may be forgotten now, in order.
  mutating func listEnded(_ request: ListRequest) -> [Int64] {
    underWay.remove(request)
    for sequence in waiting.keys { waiting[sequence]?.remove(request) }
    let free = waiting.filter(\.value.isEmpty).keys.sorted()
    for sequence in free { waiting[sequence] = nil }
    return free
  }

  /// To be called when the store has acknowledged the finish of an entry.
  ///
  /// - Returns: whether the entry may be forgotten at once.
  mutating func acknowledged(_ sequence: Int64) -> Bool {
    if !underWay.isEmpty { waiting[sequence] = underWay }
    return underWay.isEmpty
  }
}
