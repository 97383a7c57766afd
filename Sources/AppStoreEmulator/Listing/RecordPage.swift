/// A page of the list of charges or of refunds, newest first.
public struct RecordPage<Record: Hashable & Sendable>: Hashable, Sendable {
  public let records: [Record]
  /// The value of ``RecordFilter/before`` for the next page; nil on the last page.
  public let next: Int64?
}
