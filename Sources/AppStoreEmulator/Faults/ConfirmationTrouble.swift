import Foundation
import StoreModel

/// A fault that would refuse a confirmation. Whether it does is decided where the payment is decided: what was decided
/// for its id before stands, and a quote that is stale is asked again, whatever the fault. It is then not used up.
final class ConfirmationTrouble: @unchecked Sendable {
  let refusal: StoreRefusal
  private let lock = NSLock()
  private var effect = false

  init(_ refusal: StoreRefusal) { self.refusal = refusal }

  var hasTakenEffect: Bool { lock.withLock { effect } }
  func takeEffect() { lock.withLock { effect = true } }
}
