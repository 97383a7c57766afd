import Foundation
import StoreModel

/// What a vault's file says of itself, under seal.
struct VaultHead: Hashable, Codable, Sendable {
  var version = 1
  /// How many commits there were.
  var generation: Int64 = 0
  var highestTime = StoreDate(millisecondsSince1970: .min)
  var entitlements = RecordDigest()
  var credits = RecordDigest()
  var entitlementsNeedRebuilding = false
  var books: VaultCredits

  subscript(compartment: VaultCompartment) -> RecordDigest {
    get { compartment == .entitlements ? entitlements : credits }
    set { if compartment == .entitlements { entitlements = newValue } else { credits = newValue } }
  }
}
