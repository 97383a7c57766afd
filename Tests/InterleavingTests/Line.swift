import Foundation
import OpenStoreKit
import StoreModel

/// A phone's connection to the store, which can be cut, lose answers, hold lists back, and die with its phone.
final class Line: AppStoreConnection {
  private let modelled: ModelledStore
  private struct State: Sendable {
    var isUp = true
    var isDead = false
    var answersToLose = 0
    var listsToHold = 0
    var heldLists: [CheckedContinuation<Void, Never>] = []
  }

  private let state = LockedValue(State())
  private let somethingHappened: @Sendable () -> Void

  init(to modelled: ModelledStore, somethingHappened: @escaping @Sendable () -> Void) {
    self.modelled = modelled
    self.somethingHappened = somethingHappened
  }

  func set(up: Bool) { state.withLock { $0.isUp = up } }
  func loseAnswers(_ count: Int) { state.withLock { $0.answersToLose = count } }
  /// Nothing passes any more, also what is on its way back.
  func die() {
    state.withLock { $0.isDead = true }
    releaseLists()
  }

  /// Keeps the next answers that list what is unfinished back, until they are released.
  func holdLists(_ count: Int) { state.withLock { $0.listsToHold = count } }

  func releaseLists() {
    let released = state.withLock { state in
      state.listsToHold = 0
      defer { state.heldLists = [] }
      return state.heldLists
    }
    for list in released { list.resume() }
  }

  private func holdIfList(_ verb: DeviceAPI.Verb) async {
    guard verb == .unfinished else { return }
    await withCheckedContinuation { continuation in
      let isHeld = state.withLock { state in
        guard state.listsToHold > 0, !state.isDead else { return false }
        state.listsToHold -= 1
        state.heldLists.append(continuation)
        return true
      }
      if !isHeld { continuation.resume() }
    }
  }

  func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer {
    defer { somethingHappened() }
    guard state.withLock({ $0.isUp && !$0.isDead }) else {
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
    let arrives = state.withLock { state in
      if state.answersToLose > 0, Call.verb != .changes {
        state.answersToLose -= 1
        return false
      }
      return state.isUp && !state.isDead
    }
    guard arrives else { throw StoreConnectionFailure.noAnswer(reason: "the answer was lost") }
    return answer
  }
}

/// Waits until the test says go on; in the end nobody waits any more.
final class TestRetry: RetrySchedule {
  private struct State: Sendable {
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var last = 0
    var isOver = false
  }

  private let state = LockedValue(State())

  func wait(afterFailures failures: Int) async throws {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let goesOn = state.withLock { state in
          guard !state.isOver, !Task.isCancelled else { return true }
          state.waiting[number] = continuation
          return false
        }
        if goesOn { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
    }
    try Task.checkCancellation()
  }

  func goOn() { release(forGood: false) }

  /// From now on nothing waits.
  func goOnForGood() { release(forGood: true) }

  private func release(forGood: Bool) {
    let all = state.withLock { state in
      state.isOver = state.isOver || forGood
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for continuation in all { continuation.resume() }
  }
}
