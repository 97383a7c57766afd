import Foundation

/// Spends that the server has refused, and that could not be taken off the record yet: they must not be made later, when the balance
/// would cover them, without the app's asking.
final class RefusedSpends: @unchecked Sendable {
  private let lock = NSLock()
  private var refusals: [UUID: CreditError] = [:]

  subscript(key: UUID) -> CreditError? {
    get { lock.withLock { refusals[key] } }
    set { lock.withLock { refusals[key] = newValue } }
  }
}
