/// What a row of the vault says.
enum VaultRecord: Hashable, Codable, Sendable {
  case entitlement(Entitlement)
  case grant(CreditGrantEntry)
  case spend(CreditSpendEntry)

  /// Which record it is: no two of a vault are the same.
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
