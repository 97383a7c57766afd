/// The content of a row of the vault.
enum VaultRecord: Hashable, Codable, Sendable {
  case entitlement(Entitlement)
  case grant(CreditGrantEntry)
  case spend(CreditSpendEntry)

  /// Identifies a record within its vault.
  struct Key: Hashable, Sendable {
    let compartment: VaultCompartment
    let text: String

    static func entitlement(_ originalTransactionIdentifier: String) -> Key {
      Key(compartment: .entitlements, text: "entitlement " + originalTransactionIdentifier)
    }

    static func grant(_ transactionIdentifier: String) -> Key {
      Key(compartment: .credits, text: "grant " + transactionIdentifier)
    }

    static func spend(_ key: String) -> Key { Key(compartment: .credits, text: "spend " + key) }
  }

  var key: Key {
    switch self {
    case .entitlement(let entitlement): .entitlement(entitlement.originalTransactionIdentifier)
    case .grant(let grant): .grant(grant.transactionIdentifier)
    case .spend(let spend): .spend(spend.key.uuidString)
    }
  }
}

/// A part of a vault. Each part is checked and repaired separately.
public enum VaultCompartment: String, Codable, Sendable, CaseIterable {
  case entitlements
  case credits
}
