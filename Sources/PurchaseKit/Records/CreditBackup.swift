import Foundation

/// A vault's credits, as a backup contains them. `VaultCipher` encrypts this value with the vault's own key.
struct CreditBackup: Codable, Sendable {
  let lineage: UUID
  let spent: Int
  let grants: [CreditGrantEntry]
  let spends: [CreditSpendEntry]
}
