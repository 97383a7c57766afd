import StoreModel

/// The name of a fault that is set, unique within one store: given by whoever sets it, or `fault-1`, `fault-2`, ….
public struct FaultID: StringIdentifier {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

extension FaultID {
  /// The maximum number of faults that are set at once.
  static let maximumCount = 1_000
}
