/// The App Store environments. The raw values are those of signed transactions.
public enum StoreEnvironment: String, Hashable, Codable, Sendable, CaseIterable {
  case production = "Production"
  case sandbox = "Sandbox"
  /// StoreKit testing in Xcode. A server never issues transactions of this environment.
  case xcode = "Xcode"

  /// The environment's name in paths and settings: `production`, `sandbox` or `xcode`.
  public var lowercaseName: String { rawValue.lowercased() }

  public init?(lowercaseName: String) {
    guard let match = Self.allCases.first(where: { $0.lowercaseName == lowercaseName }) else { return nil }
    self = match
  }
}
