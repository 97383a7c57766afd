/// A position in the history of a store's records. Records that change later have a larger one.
///
/// It belongs to one epoch: after a reset or a restored snapshot, the store refuses the revisions of before.
public struct StoreRevision: Hashable, Sendable, Codable, LosslessStringConvertible {
  public let epoch: StoreEpoch
  /// 0 is before every change.
  public let number: Int64

  public init(epoch: StoreEpoch, number: Int64) { (self.epoch, self.number) = (epoch, number) }

  /// - Parameter description: the text of a revision, such as `1234567890-17`.
  public init?(_ description: String) {
    let parts = description.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, let number = Int64(parts[1]), number >= 0,
      parts[1] == "\(number)"
    else { return nil }
    self.init(epoch: StoreEpoch(String(parts[0])), number: number)
  }

  public var description: String { "\(epoch.rawValue)-\(number)" }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let revision = Self(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is not a revision.")
    }
    self = revision
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  /// Returns the number, if the revision belongs to `current`.
  public func number(in current: StoreEpoch) throws(StoreRevisionError) -> Int64 {
    guard epoch == current else { throw .otherEpoch(self, current: current) }
    return number
  }
}

/// Thrown when a revision cannot be used.
public enum StoreRevisionError: DescribedError, Hashable, Sendable {
  /// The store was reset or restored since the revision was returned. Read all records again.
  case otherEpoch(StoreRevision, current: StoreEpoch)

  public var description: String {
    switch self {
    case .otherEpoch(let revision, let current):
      "Revision \(revision) is of another epoch than the store's, which is \(current). Read all records again."
    }
  }
}
