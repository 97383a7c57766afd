import StoreModel

/// A request as the journal keeps it. Passwords and receipts are never in it.
public struct JournaledRequest: Hashable, Sendable {
  /// Counts the requests since the store was opened, from 1; a journal that was cleared goes on counting.
  public let sequence: Int64
  /// When it arrived, on the store's clock.
  public let date: StoreDate
  /// Identifiers longer than 256 bytes are cut there, and of a long list of products the first twenty are kept.
  public internal(set) var metadata: RequestMetadata
  public internal(set) var outcome: RequestOutcome
  /// What struck it, if anything did.
  public internal(set) var fault: StruckBy?

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

  /// The same in bounded memory: what is kept of ten thousand requests must not depend on what was in them.
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
