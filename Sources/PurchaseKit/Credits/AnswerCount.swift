import Foundation

/// Counts answers of the server, so that a caller can detect that one was stored while another was on its way.
final class AnswerCount: @unchecked Sendable {
  private let lock = NSLock()
  private var count = 0

  var value: Int { lock.withLock { count } }

  func increment() { lock.withLock { count += 1 } }
}
