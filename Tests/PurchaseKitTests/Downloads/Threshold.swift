import Foundation

/// Suspends its callers until the test opens it, even if their tasks are cancelled meanwhile.
final class Threshold: @unchecked Sendable {
  private let lock = NSLock()
  private let arrivals = AsyncStream.makeStream(of: Void.self)
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var isOpen = false

  func pass() async {
    await withCheckedContinuation { continuation in
      let mayPass = lock.withLock {
        if !isOpen { waiting.append(continuation) }
        return isOpen
      }
      if mayPass { continuation.resume() }
      arrivals.continuation.yield()
    }
  }

  func arrival() async { _ = await arrivals.stream.first { _ in true } }

  func open() {
    let all = lock.withLock {
      isOpen = true
      defer { waiting = [] }
      return waiting
    }
    for continuation in all { continuation.resume() }
  }
}
