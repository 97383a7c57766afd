import Foundation
import StoreModel

/// A fault to inject: what happens, to which requests, and how often.
///
/// ```swift
/// try store.set(Fault(AnswerLostFault(), count: 1))
/// try store.set(Fault(AppErrorFault(.unknownServerError), scope: FaultScope(customer: "ada"), probability: 0.2))
/// ```
///
/// Faults exist in memory only, and are not part of the store's records: after a restart, the store has none.
public struct Fault: Sendable {
  /// Nil to let the store make an id.
  public var id: FaultID?
  public var kind: any FaultKind
  public var scope: FaultScope
  /// The number of requests to which it applies, at least 1; nil for all requests until it is removed.
  public var count: Int?
  /// The probability with which it applies to a request in its scope, above 0 and at most 1; nil for 1.
  public var probability: Double?
  /// The seed of the random choices. The same seed chooses the same requests in the fault's scope. If nil, it is
  /// derived from the store's seed and the number of faults set before.
  public var seed: UInt64?
  /// The time for which it is active, in seconds of the store's clock; at least 1. If nil, it is active until it is
  /// removed.
  ///
  /// It uses the store's clock, so that a test can end an outage of an hour by moving the clock.
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

  /// The kinds of requests to which it may apply.
  var calls: Set<RequestKind> { scope.calls ?? type(of: kind).usualCalls }

  /// Describes, in a sentence, why the fault is invalid; nil if it is valid.
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
    return scopeProblem ?? kind.problem
  }

  /// Describes why no request can match the scope, whatever the store has; nil if a request can.
  private var scopeProblem: String? {
    let withProducts = DeviceAPI.calls.filter { $0.hasProducts }.map { RequestKind.device($0.verb) } + [.notification]
    if scope.productID != nil, calls.isDisjoint(with: withProducts) {
      let names = withProducts.map(\.rawValue)
      return "productId matches none of the calls: only \(names.dropLast().joined(separator: ", ")) and "
        + "\(names.last ?? "") name products."
    }
    if calls == [.certificateStatus], scope != FaultScope(calls: scope.calls) {
      return "ocsp is asked about certificates only: its requests name no environment, app, product, customer or "
        + "installation."
    }
    if scope.customer != nil || scope.installationID != nil, calls.isSubset(of: .backendEndpoints) {
      let names = calls.map(\.rawValue).sorted()
      return
        "\(names.joined(separator: ", ")) \(names.count == 1 ? "has" : "have") neither customer nor installation: use "
        + "bundleId or environment."
    }
    return nil
  }
}

extension Fault: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case id, kind, scope, count, probability, seed, durationSeconds
  }

  public init(from decoder: any Decoder) throws { try self.init(from: decoder, besides: []) }

  /// - Parameter otherKeys: keys of the same object that are not part of the fault.
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
    if let seed = try? container.decode(Int64.self, forKey: .seed), seed < 0 {
      throw DecodingError.dataCorruptedError(
        forKey: .seed, in: container, debugDescription: "A seed is at least 0; it is \(seed).")
    }
    seed = try container.decodeIfPresent(UInt64.self, forKey: .seed)
    durationSeconds = try container.decodeIfPresent(Int64.self, forKey: .durationSeconds)
    // If a misspelt member were ignored, the fault would apply to more requests than intended.
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

  /// The names of the members of a kind of fault.
  private static func members(of kind: any FaultKind) -> Set<String> {
    Set(Mirror(reflecting: kind).children.compactMap(\.label))
  }
}
