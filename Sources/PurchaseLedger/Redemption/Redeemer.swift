import SignedData
import StoreModel

/// The customer who redeems, and what the proof shows about the customer's device.
struct Redeemer: Hashable, Sendable {
  /// The claimant or, after the claimant was joined to an earlier customer, that customer.
  var customer: ClaimDecision.Customer
  /// Whether the proof was issued for the claimant's device, and when.
  let device: ClaimDecision.DeviceProof
  /// Whether the claimant's registered device is identified by `identifierForVendor`. A Mac's network address can be guessed.
  /// It suffices to restore a purchase, but not to be joined to another customer.
  let hasVendorIdentifier: Bool
  /// Whether the claimant may redeem purchases of the proof's environment.
  var isEnvironmentAllowed = true

  /// Whether the proof allows that the claimant is joined to an earlier customer.
  var mayJoin: Bool { marksClaims && !customer.isIdentified }

  /// Whether the proof shows that the claimant, or an earlier installation whose device it is, has the purchases' account. A
  /// claim of the claimant is then marked, so that a later installation can be joined to the claimant. A proof of the second
  /// of the registration suffices: only its sender could have made the copy in that second.
  var marksClaims: Bool { hasVendorIdentifier && device.allowsJoining }
}

extension Claimant {
  /// Whether the registered device is identified by `identifierForVendor`.
  var hasVendorIdentifier: Bool { if case .vendorIdentifier = device { true } else { false } }
}
