import StoreModel

/// What can be asked of the store: the calls of devices, and `verifyReceipt`.
public enum RequestKind: Hashable, Sendable, CaseIterable {
  case device(DeviceDoor.Verb)
  case verifyReceipt

  public static let allCases = DeviceDoor.Verb.allCases.map(RequestKind.device) + [.verifyReceipt]
}

extension RequestKind: RawRepresentable, Codable {
  /// The verb, or `verifyReceipt`.
  public var rawValue: String {
    switch self {
    case .device(let verb): verb.rawValue
    case .verifyReceipt: "verifyReceipt"
    }
  }

  public init?(rawValue: String) {
    guard let kind = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = kind
  }
}

extension Set<RequestKind> {
  public static var everything: Set<RequestKind> { Set(RequestKind.allCases) }
  /// The calls of devices.
  public static var deviceCalls: Set<RequestKind> { Set(DeviceDoor.Verb.allCases.map(RequestKind.device)) }
}
