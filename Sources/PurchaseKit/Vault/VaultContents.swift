import Foundation

/// What is in a vault, authenticated, as it is kept in memory. Boxes of credits stay in the file.
struct VaultContents: Sendable {
  /// What tells a record's version, and where it belongs.
  struct Tag: Hashable, Sendable {
    let bytes: Data
    let compartment: VaultCompartment
  }

  let file: VaultFile
  let cipher: VaultCipher
  var keyItem: VaultKeyItem
  /// Whether the key store has not taken note of the head yet.
  var isKeyItemBehind = false
  var head: VaultHead
  var tags: [Data: Tag]
  /// By original transaction identifier.
  var entitlements: [String: Entitlement]
}
