import Foundation

/// The number of the last order to ask for what is unfinished.
final class LastQuestion: @unchecked Sendable {
  private let lock = NSLock()
  private var stored: Int?

  var number: Int? {
    get { lock.withLock { stored } }
    set { lock.withLock { stored = newValue } }
  }
}
