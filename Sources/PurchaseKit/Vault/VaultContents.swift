import Foundation

/// The authenticated content of a vault in memory. Credit records stay in the file.
struct VaultContents: Sendable {
  /// Identifies the version of a record, and its compartment.
  struct Tag: Hashable, Sendable {
    let bytes: Data
    let compartment: VaultCompartment
  }

  let file: VaultFile
  let cipher: VaultCipher
  var keyItem: VaultKeyItem
  /// Whether the key store does not have the latest key item yet.
  var isKeyItemBehind = false
  var head: VaultHead
  var tags: [Data: Tag]
  /// The key is the original transaction identifier.
  var entitlements: [String: Entitlement]

  /// The credits that are lost if these credits are given up.
  var creditsAtRisk: CreditLoss {
    CreditLoss(
      credits: head.books.freeze.map(\.lostBalance) ?? (try? head.books.balance()), balanceAfter: 0,
      of: keyItem.recentGrants ?? [], freeze: head.books.freeze)
  }
}
