import StoreModel

/// A fault that is set, and what came of it so far.
public struct FaultReport: Encodable, Sendable {
  public let id: FaultID
  public let fault: Fault
  /// When it was set, on the store's clock.
  public let setDate: StoreDate
  /// When it ends by itself; nil if it does not.
  public let endDate: StoreDate?
  /// How many requests it will still strike; nil for any number.
  public let remaining: Int?
  /// How many it has struck.
  public let hits: Int
  /// How many requests it holds at this moment.
  public let waiting: Int
  /// Whether it may strike again. One that may not stays in the list until it is removed, or its place is needed.
  public let isActive: Bool

  init(_ entry: FaultTable.Entry, waiting: Int, now: StoreDate) {
    id = entry.id
    var fault = entry.fault
    fault.id = entry.id
    self.fault = fault
    setDate = entry.setDate
    endDate = entry.endDate
    remaining = entry.remaining
    hits = entry.hits
    self.waiting = waiting
    isActive = entry.isActive(at: now)
  }

  private enum CodingKeys: String, CodingKey {
    case setDate, endDate, remaining, hits, waiting, isActive
  }

  /// The fault's own members, and these.
  public func encode(to encoder: any Encoder) throws {
    try fault.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(setDate, forKey: .setDate)
    try container.encodeIfPresent(endDate, forKey: .endDate)
    try container.encodeIfPresent(remaining, forKey: .remaining)
    try container.encode(hits, forKey: .hits)
    try container.encode(waiting, forKey: .waiting)
    try container.encode(isActive, forKey: .isActive)
  }
}
