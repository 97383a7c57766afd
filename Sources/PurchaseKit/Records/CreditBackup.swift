import Foundation

/// A vault's credits as a backup holds them, sealed under the vault's own key.
struct CreditBackup: Codable, Sendable {
  let lineage: UUID
  let spent: Int
  let grants: [CreditGrantEntry]
  let spends: [CreditSpendEntry]
}
