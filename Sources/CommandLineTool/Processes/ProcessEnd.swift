import Foundation

/// The end of a process, kept for everybody who asks.
final class ProcessEnd: @unchecked Sendable {
  private let lock = NSLock()
  private var stored: Int32?
  private var waiting: [CheckedContinuation<Int32, Never>] = []

  /// To be called once, when the process has ended.
  func note(_ status: Int32) {
    let waiting = lock.withLock {
      stored = status
      defer { self.waiting = [] }
      return self.waiting
    }
    for each in waiting { each.resume(returning: status) }
  }

  /// How it ended, once it has.
  var status: Int32 {
    get async {
      await withCheckedContinuation { asking in
        let known = lock.withLock {
          if stored == nil { waiting.append(asking) }
          return stored
        }
        if let known { asking.resume(returning: known) }
      }
    }
  }
}
