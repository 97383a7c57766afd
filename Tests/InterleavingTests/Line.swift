import Foundation
import OpenStoreKit
import StoreModel

/// A phone's connection to the store, which can be cut, lose answers, hold lists back, and die with its phone.
final class Line: AppStoreConnection, @unchecked Sendable {
  private let modelled: ModelledStore
  private let lock = NSLock()
  private var isUp = true
  private var isDead = false
  private var answersToLose = 0
  private var listsToHold = 0
  private var heldLists: [CheckedContinuation<Void, Never>] = []
  private let somethingHappened: @Sendable () -> Void

  init(to modelled: ModelledStore, somethingHappened: @escaping @Sendable () -> Void) {
    self.modelled = modelled
    self.somethingHappened = somethingHappened
  }

  func set(up: Bool) { lock.withLock { isUp = up } }
  func loseAnswers(_ count: Int) { lock.withLock { answersToLose = count } }
  /// Nothing passes any more, also what is on its way back.
  func die() {
    lock.withLock { isDead = true }
    releaseLists()
  }

  /// Keeps the next answers that list what is unfinished back, until they are released.
  func holdLists(_ count: Int) { lock.withLock { listsToHold = count } }

  func releaseLists() {
    let released = lock.withLock {
      listsToHold = 0
      defer { heldLists = [] }
      return heldLists
    }
    for list in released { list.resume() }
  }

  private func holdIfList(_ verb: DeviceAPI.Verb) async {
    guard verb == .unfinished else { return }
    await withCheckedContinuation { continuation in
      let isHeld = lock.withLock {
        guard listsToHold > 0, !isDead else { return false }
        listsToHold -= 1
        heldLists.append(continuation)
        return true
      }
      if !isHeld { continuation.resume() }
    }
  }

  func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer {
    defer { somethingHappened() }
    guard lock.withLock({ isUp && !isDead }) else {
      throw StoreConnectionFailure.unreachable(reason: "the line is down")
    }
    let answer: Call.Answer
    if let confirm = call as? ConfirmCall {
      guard let result = try await modelled.confirm(confirm, for: installation) as? Call.Answer else {
        throw StoreConnectionFailure.unintelligible(reason: "a confirmation that is answered with something else")
      }
      answer = result
    } else if let quote = call as? QuoteCall {
      guard let result = try await modelled.quote(quote, for: installation) as? Call.Answer else {
        throw StoreConnectionFailure.unintelligible(reason: "a quote that is answered with something else")
      }
      answer = result
    } else {
      answer = try await modelled.store.send(call, for: installation)
    }
    await holdIfList(Call.verb)
    let arrives = lock.withLock {
      if answersToLose > 0, Call.verb != .changes {
        answersToLose -= 1
        return false
      }
      return isUp && !isDead
    }
    guard arrives else { throw StoreConnectionFailure.noAnswer(reason: "the answer was lost") }
    return answer
  }
}

/// Waits until the test says go on; in the end nobody waits any more.
final class TestRetry: RetrySchedule, @unchecked Sendable {
  private let lock = NSLock()
  private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  private var last = 0
  private var isOver = false

  func wait(afterFailures failures: Int) async throws {
    let number = lock.withLock {
      last += 1
      return last
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let goesOn = lock.withLock {
          guard !isOver, !Task.isCancelled else { return true }
          waiting[number] = continuation
          return false
        }
        if goesOn { continuation.resume() }
      }
    } onCancel: {
      lock.withLock { waiting.removeValue(forKey: number) }?.resume()
    }
    try Task.checkCancellation()
  }

  func goOn() { release(forGood: false) }

  /// From now on nothing waits.
  func goOnForGood() { release(forGood: true) }

  private func release(forGood: Bool) {
    let all = lock.withLock {
      isOver = isOver || forGood
      defer { waiting = [:] }
      return Array(waiting.values)
    }
    for continuation in all { continuation.resume() }
  }
}
