import StoreModel

/// The id of a fault, unique within one store. The caller chooses it, or the store makes `fault-1`, `fault-2`, ….
public struct FaultID: StringIdentifier {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

extension FaultID {
  /// The maximum number of faults that are set at once.
  static let maximumCount = 1_000
}
