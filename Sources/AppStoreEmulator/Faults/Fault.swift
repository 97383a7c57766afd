import Foundation
import StoreModel

/// Trouble to be set: what it is, which requests it is for, and how often it strikes.
///
/// ```swift
/// try store.set(Fault(AnswerLostFault(), count: 1))
/// try store.set(Fault(AppErrorFault(.unknownServerError), scope: FaultScope(customer: "ada"), probability: 0.2))
/// ```
///
/// Faults are kept in memory only. They are part of a test, not of the store's books: a store that is opened again has
/// none.
public struct Fault: Sendable {
  /// Nil to have one made up.
  public var id: FaultID?
  public var kind: any FaultKind
  public var scope: FaultScope
  /// How many requests it strikes, at least 1; nil for all, until it is removed.
  public var count: Int?
  /// The chance that it strikes a request in its scope, above 0 and at most 1; nil is 1.
  public var probability: Double?
  /// What the choices follow from, where they are by chance: the same seed chooses the same of the requests in its scope.
  /// Nil for one that follows from the store's own seed and from how many faults were set before.
  public var seed: UInt64?
  /// How long it strikes, in seconds of the store's clock from when it is set; at least 1. Nil for until it is removed.
  ///
  /// On the store's clock, so that a test ends an outage of an hour by moving the clock, and waits for nothing.
  public var durationSeconds: Int64?

  public init(
    _ kind: any FaultKind, id: FaultID? = nil, scope: FaultScope = FaultScope(), count: Int? = nil,
    probability: Double? = nil, seed: UInt64? = nil, durationSeconds: Int64? = nil
  ) {
    self.id = id
    self.kind = kind
    self.scope = scope
    self.count = count
    self.probability = probability
    self.seed = seed
    self.durationSeconds = durationSeconds
  }

  /// The requests it may strike.
  var calls: Set<RequestKind> { scope.calls ?? type(of: kind).usualCalls }

  /// What is wrong with it, in a sentence; nil if nothing is.
  var problem: String? {
    let kindType = type(of: kind)
    let impossible = calls.subtracting(kindType.possibleCalls).map(\.rawValue).sorted()
    if let id, id.rawValue.isEmpty { return "A fault's id must not be empty." }
    if calls.isEmpty { return "calls must name at least one call." }
    if !impossible.isEmpty {
      return "\(kindType.name) cannot strike \(impossible.joined(separator: ", ")); it strikes "
        + "\(kindType.possibleCalls.map(\.rawValue).sorted().joined(separator: ", "))."
    }
    if let count, count < 1 { return "count is at least 1; it is \(count)." }
    if let probability, !(probability > 0 && probability <= 1) {
      return "probability is above 0 and at most 1; it is \(probability)."
    }
    if let durationSeconds, durationSeconds < 1 { return "durationSeconds is at least 1; it is \(durationSeconds)." }
    return kind.problem
  }
}

extension Fault: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case id, kind, scope, count, probability, seed, durationSeconds
  }

  public init(from decoder: any Decoder) throws { try self.init(from: decoder, besides: []) }

  /// - Parameter otherKeys: keys of the same object that do not belong to the fault.
  init(from decoder: any Decoder, besides otherKeys: Set<String>) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let name = try container.decode(String.self, forKey: .kind)
    guard let kindType = FaultKinds.kind(named: name) else {
      throw DecodingError.dataCorruptedError(
        forKey: .kind, in: container,
        debugDescription:
          "\(name) is no kind of fault; there are \(FaultKinds.all.map { $0.name }.joined(separator: ", "))."
      )
    }
    kind = try kindType.init(from: decoder)
    id = try container.decodeIfPresent(FaultID.self, forKey: .id)
    scope = try container.decodeIfPresent(FaultScope.self, forKey: .scope) ?? FaultScope()
    count = try container.decodeIfPresent(Int.self, forKey: .count)
    probability = try container.decodeIfPresent(Double.self, forKey: .probability)
    seed = try container.decodeIfPresent(UInt64.self, forKey: .seed)
    durationSeconds = try container.decodeIfPresent(Int64.self, forKey: .durationSeconds)
    // A misspelt member must not be passed over: the fault would strike more, or more often, than was meant.
    try decoder.refuseUnknownKeys(
      besides: Set(CodingKeys.allCases.map(\.rawValue)).union(Self.members(of: kind)).union(otherKeys))
  }

  public func encode(to encoder: any Encoder) throws {
    try kind.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(id, forKey: .id)
    try container.encode(type(of: kind).name, forKey: .kind)
    if scope != FaultScope() { try container.encode(scope, forKey: .scope) }
    try container.encodeIfPresent(count, forKey: .count)
    try container.encodeIfPresent(probability, forKey: .probability)
    try container.encodeIfPresent(seed, forKey: .seed)
    try container.encodeIfPresent(durationSeconds, forKey: .durationSeconds)
  }

  /// The names of the kind's own members.
  private static func members(of kind: any FaultKind) -> Set<String> {
    Set(Mirror(reflecting: kind).children.compactMap(\.label))
  }
}
