/// One of the two parts of a vault, which are damaged and repaired apart.
public enum VaultCompartment: String, Codable, Sendable, CaseIterable {
  case entitlements
  case credits
}
