import Foundation

/// Counts answers of the server, so that it can be told whether one was kept while another was on its way.
final class AnswerCount: @unchecked Sendable {
  private let lock = NSLock()
  private var count = 0

  var value: Int { lock.withLock { count } }

  func increment() { lock.withLock { count += 1 } }
}
