import Foundation
import StoreModel

/// The head of a vault's file, which is stored encrypted and authenticated.
struct VaultHead: Hashable, Codable, Sendable {
  var version = 1
  /// The number of commits.
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
