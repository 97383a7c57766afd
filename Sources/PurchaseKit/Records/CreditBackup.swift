import Foundation

/// A vault's credits in a backup, encrypted with the vault's own key.
struct CreditBackup: Codable, Sendable {
  let lineage: UUID
  let spent: Int
  let grants: [CreditGrantEntry]
  let spends: [CreditSpendEntry]
}
