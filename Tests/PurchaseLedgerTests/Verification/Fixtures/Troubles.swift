import Foundation

@testable import PurchaseLedger

/// What a verifier reported.
final class Troubles: @unchecked Sendable {
  private let lock = NSLock()
  private var reported: [VerificationTrouble] = []

  var all: [VerificationTrouble] { lock.withLock { reported } }

  @Sendable func add(_ trouble: VerificationTrouble) { lock.withLock { reported.append(trouble) } }
}
