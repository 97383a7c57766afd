import Foundation
import StoreModel

/// Suspends its callers until the test opens it, even if their tasks are cancelled meanwhile.
final class Threshold: Sendable {
  private struct State: Sendable {
    var waiting: [CheckedContinuation<Void, Never>] = []
    var isOpen = false
  }

  private let state = LockedValue(State())
  private let arrivals = AsyncStream.makeStream(of: Void.self)

  func pass() async {
    await withCheckedContinuation { continuation in
      let mayPass = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if mayPass { continuation.resume() }
      arrivals.continuation.yield()
    }
  }

  func arrival() async { _ = await arrivals.stream.first { _ in true } }

  func open() {
    let all = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in all { continuation.resume() }
  }
}
