/// A part of a vault. Each part is checked and repaired separately.
public enum VaultCompartment: String, Codable, Sendable, CaseIterable {
  case entitlements
  case credits
}
