import StoreModel

/// A request in the journal. It never contains passwords or receipts. ``RequestDetails`` has its bodies.
public struct JournaledRequest: Hashable, Sendable {
  /// The number of the request since the store was opened, from 1. Clearing the journal does not restart it.
  public let sequence: Int64
  /// The date of arrival, on the store's clock.
  public let date: StoreDate
  /// Identifiers are cut after 256 bytes. Only the first twenty products are stored.
  public internal(set) var metadata: RequestMetadata
  public internal(set) var outcome: RequestOutcome
  /// Why the store refused the request of a backend: the rule that the request breaks and, where it applies, the byte. The
  /// caller does not receive it. At most 500 characters.
  public internal(set) var reason: String?
  /// The fault that applied to the request; nil if there was none.
  public internal(set) var fault: StruckBy?
  /// The time from the arrival to the answer, in microseconds of the machine's clock; nil while the request is under
  /// way. It includes the time for which the request waited, for example because of a fault.
  public internal(set) var durationMicroseconds: Int64?
  /// Whether a device asked for changes, and the answer contains none.
  public internal(set) var isWithoutNews = false

  /// Whether the request is a device's call that is waiting for changes, or that has ended without changes. False if a
  /// fault applied to the request.
  public var isIdlePoll: Bool {
    guard metadata.kind == .device(.changes), fault == nil else { return false }
    return outcome == .underWay || outcome == .noAnswer || isWithoutNews
  }

  static func boundedReason(_ reason: String) -> String { String(reason.prefix(500)) }

  public struct StruckBy: Hashable, Codable, Sendable {
    public let id: FaultID
    public let kind: String

    public init(id: FaultID, kind: String) {
      self.id = id
      self.kind = kind
    }
  }
}

extension RequestMetadata {
  private static let longestIdentifier = 256
  private static let largestProductList = 20

  /// The same metadata, cut to a bounded size. The size of the journal must not depend on the contents of requests.
  var bounded: RequestMetadata {
    var metadata = self
    metadata.installationID = metadata.installationID.map(Self.cut)
    metadata.bundleID = metadata.bundleID.map(Self.cut)
    metadata.customer = metadata.customer.map(Self.cut)
    metadata.paymentID = metadata.paymentID.map(Self.cut)
    if !metadata.productIDs.isEmpty {
      metadata.productIDs = metadata.productIDs.prefix(Self.largestProductList).map(Self.cut)
    }
    return metadata
  }

  private static func cut<Identifier: StringIdentifier>(_ identifier: Identifier) -> Identifier {
    guard identifier.rawValue.utf8.count > longestIdentifier else { return identifier }
    return Identifier(rawValue: String(decoding: identifier.rawValue.utf8.prefix(longestIdentifier), as: UTF8.self))
  }
}
