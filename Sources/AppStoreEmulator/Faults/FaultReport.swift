import StoreModel

/// The state of a fault that is set.
public struct FaultReport: Codable, Sendable {
  public let id: FaultID
  public let fault: Fault
  /// The date at which it was set, on the store's clock.
  public let setDate: StoreDate
  /// The date at which it ends by itself; nil if it does not.
  public let endDate: StoreDate?
  /// The number of requests to which it will still apply; nil for no limit.
  public let remaining: Int?
  /// The number of requests to which it has applied.
  public let hits: Int
  /// The number of requests that it holds now.
  public let waiting: Int
  /// Whether it may still apply to requests. An inactive fault stays in the list until it is removed, or until a new
  /// fault needs its place.
  public let isActive: Bool
  /// What the fault's scope names that the store does not have, one sentence each; nil if there is nothing. Only in the
  /// answer to setting the fault, and in the list of all faults.
  public package(set) var warnings: [String]?

  init(_ entry: ActiveFaultTable.Entry, waiting: Int, now: StoreDate) {
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

  /// A report on a fault that is not set.
  package init(unset fault: Fault) {
    self.fault = fault
    id = fault.id ?? ""
    setDate = StoreDate(millisecondsSince1970: 0)
    (endDate, remaining, hits, waiting, isActive) = (nil, nil, 0, 0, true)
  }

  private enum CodingKeys: String, CodingKey, CaseIterable {
    case setDate, endDate, remaining, hits, waiting, isActive, warnings
  }

  /// Decodes the fault's members and those of the report, from the same object.
  public init(from decoder: any Decoder) throws {
    fault = try Fault(from: decoder, besides: Set(CodingKeys.allCases.map(\.rawValue)))
    id = fault.id ?? ""
    let container = try decoder.container(keyedBy: CodingKeys.self)
    setDate = try container.decode(StoreDate.self, forKey: .setDate)
    endDate = try container.decodeIfPresent(StoreDate.self, forKey: .endDate)
    remaining = try container.decodeIfPresent(Int.self, forKey: .remaining)
    hits = try container.decode(Int.self, forKey: .hits)
    waiting = try container.decode(Int.self, forKey: .waiting)
    isActive = try container.decode(Bool.self, forKey: .isActive)
    warnings = try container.decodeIfPresent([String].self, forKey: .warnings)
  }

  /// Encodes the fault's members and those of the report, as one object.
  public func encode(to encoder: any Encoder) throws {
    try fault.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(setDate, forKey: .setDate)
    try container.encodeIfPresent(endDate, forKey: .endDate)
    try container.encodeIfPresent(remaining, forKey: .remaining)
    try container.encode(hits, forKey: .hits)
    try container.encode(waiting, forKey: .waiting)
    try container.encode(isActive, forKey: .isActive)
    try container.encodeIfPresent(warnings, forKey: .warnings)
  }
}
