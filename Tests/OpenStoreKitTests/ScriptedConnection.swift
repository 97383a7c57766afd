import Foundation
import StoreModel

/// A connection whose calls can be made to fail, before they are sent or after the store has answered.
/// It records the calls that reach the store.
final class ScriptedConnection: AppStoreConnection {
  enum Fate: Sendable {
    case pass
    /// The call is not sent.
    case unreachable
    /// The call is sent and carried out, and its answer is lost.
    case answerLost
  }

  /// An event of a call that waits for changes.
  enum Poll: Equatable, Sendable {
    case sent
    case answered(Set<StoreChange.Kind>)
  }

  private struct State: Sendable {
    var fates: [DeviceAPI.Verb: [Fate]] = [:]
    var isCutOff: Set<DeviceAPI.Verb> = []
    var calls: [DeviceAPI.Verb] = []
    var onQuote: (@Sendable (PaymentQuote) -> PaymentQuote)?
    var before: [DeviceAPI.Verb: (skipped: Int, work: @Sendable () async throws -> Void)] = [:]
    var onBatch: (@Sendable (DeliveryBatch) -> DeliveryBatch)?
    var onRestore: (@Sendable (RestoredPage) -> RestoredPage)?
    var onChanges: (@Sendable (TransactionChanges) -> TransactionChanges)?
    var onDeviceChanges: (@Sendable (DeviceChanges) -> DeviceChanges)?
    var onConfirm: (@Sendable (ConfirmationResult) -> ConfirmationResult)?
    var held: [DeviceAPI.Verb: [HeldAnswer]] = [:]
  }

  private let state = LockedValue(State())
  private let base: any AppStoreConnection
  /// The calls that are not sent when their script has ended.
  private let finished = EventCounter()
  private let asked = EventCounter()
  private let polled = AsyncStream.makeStream(of: Poll.self)

  init(_ base: any AppStoreConnection) { self.base = base }

  /// Sets what happens to the next calls of `verb`, in order. Calls after them pass.
  func script(_ verb: DeviceAPI.Verb, _ next: Fate...) { state.withLock { $0.fates[verb, default: []] += next } }

  /// Loses the answer to the next call of `verb`, and does not send the calls after it until ``endScript(of:)``.
  /// So a device that retries on its own, because a change of the store woke it, still has no answer.
  func loseAnswer(to verb: DeviceAPI.Verb) {
    state.withLock { state in
      state.fates[verb, default: []].append(.answerLost)
      state.isCutOff.insert(verb)
    }
  }

  /// Does not send the calls of `verb` until ``endScript(of:)``.
  func cutOff(_ verb: DeviceAPI.Verb) { state.withLock { _ = $0.isCutOff.insert(verb) } }

  /// Lets the next calls of `verb` pass.
  func endScript(of verb: DeviceAPI.Verb) {
    state.withLock { state in
      state.fates[verb] = nil
      state.isCutOff.remove(verb)
    }
  }

  /// Sets a function that changes the store's answers to confirmations.
  func rewriteConfirmations(_ rewrite: (@Sendable (ConfirmationResult) -> ConfirmationResult)?) {
    state.withLock { $0.onConfirm = rewrite }
  }

  /// Holds back the store's answer to the next call of `verb` until the test releases it.
  func holdAnswer(to verb: DeviceAPI.Verb) -> HeldAnswer {
    let answer = HeldAnswer()
    state.withLock { $0.held[verb, default: []].append(answer) }
    return answer
  }

  private func takeHeldAnswer(to verb: DeviceAPI.Verb) -> HeldAnswer? {
    state.withLock { $0.held[verb]?.isEmpty == false ? $0.held[verb]?.removeFirst() : nil }
  }

  /// Returns when the store has carried out the next finish.
  func nextFinish() async { await finished.next() }

  /// Sets a function that changes the quotes that the store returns.
  func rewriteQuotes(_ rewrite: (@Sendable (PaymentQuote) -> PaymentQuote)?) {
    state.withLock { $0.onQuote = rewrite }
  }

  /// Runs `work` once, right before a later call of `verb` is sent.
  func beforeNext(_ verb: DeviceAPI.Verb, skipping count: Int, _ work: @escaping @Sendable () async throws -> Void) {
    state.withLock { $0.before[verb] = (count, work) }
  }

  private func workBefore(_ verb: DeviceAPI.Verb) -> (@Sendable () async throws -> Void)? {
    state.withLock { state in
      guard let next = state.before[verb] else { return nil }
      state.before[verb] = next.skipped == 0 ? nil : (next.skipped - 1, next.work)
      return next.skipped == 0 ? next.work : nil
    }
  }

  /// Sets a function that changes the batches of unfinished transactions that the store returns.
  func rewriteBatches(_ rewrite: (@Sendable (DeliveryBatch) -> DeliveryBatch)?) {
    state.withLock { $0.onBatch = rewrite }
  }

  /// Returns when the store has returned the next list of unfinished transactions.
  func nextUnfinished() async { await asked.next() }

  /// Returns when the device has received a change of this kind, and has sent the next call for changes.
  func nextPoll(after kind: StoreChange.Kind) async {
    var polls = polled.stream.makeAsyncIterator()
    while let poll = await polls.next() {
      guard case .answered(let kinds) = poll, kinds.contains(kind) else { continue }
      while let next = await polls.next(), next != .sent {}
      return
    }
  }

  /// Sets a function that changes the pages of restored transactions that the store returns.
  func rewriteRestoredPages(_ rewrite: (@Sendable (RestoredPage) -> RestoredPage)?) {
    state.withLock { $0.onRestore = rewrite }
  }

  /// Sets a function that changes the pages of changed transactions that the store returns.
  func rewriteChanges(_ rewrite: (@Sendable (TransactionChanges) -> TransactionChanges)?) {
    state.withLock { $0.onChanges = rewrite }
  }

  /// Sets a function that changes the store's answers to calls for changes.
  func rewriteDeviceChanges(_ rewrite: (@Sendable (DeviceChanges) -> DeviceChanges)?) {
    state.withLock { $0.onDeviceChanges = rewrite }
  }

  /// The calls that were sent, in order.
  var sent: [DeviceAPI.Verb] { state.withLock { $0.calls } }

  func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer {
    let verb = Call.verb
    try await workBefore(verb)?()
    let fate = nextFate(of: verb)
    if fate == .unreachable { throw StoreConnectionFailure.unreachable(reason: "scripted") }
    if verb == .changes { polled.continuation.yield(.sent) }
    // Not calls for changes, which the device repeats all the time.
    if verb != .changes { state.withLock { $0.calls.append(verb) } }
    let holding = takeHeldAnswer(to: verb)
    let result: Result<Call.Answer, any Error>
    do { result = .success(rewritten(try await base.send(call, for: installation))) } catch { result = .failure(error) }
    if let holding { await holding.hold() }
    let answer = try result.get()
    if fate == .answerLost { throw StoreConnectionFailure.noAnswer(reason: "scripted") }
    if let changes = answer as? DeviceChanges {
      polled.continuation.yield(.answered(Set(changes.changes.map(\.kind))))
    }
    if verb == .finish { finished.happened() }
    if verb == .unfinished { asked.happened() }
    return answer
  }

  private func nextFate(of verb: DeviceAPI.Verb) -> Fate {
    state.withLock { state in
      guard state.fates[verb]?.isEmpty == false, let fate = state.fates[verb]?.removeFirst() else {
        return state.isCutOff.contains(verb) ? .unreachable : .pass
      }
      return fate
    }
  }

  private func rewritten<Answer>(_ answer: Answer) -> Answer {
    if let quote = answer as? PaymentQuote, let rewrite = state.withLock({ $0.onQuote }) {
      return rewrite(quote) as? Answer ?? answer
    }
    if let result = answer as? ConfirmationResult, let rewrite = state.withLock({ $0.onConfirm }) {
      return rewrite(result) as? Answer ?? answer
    }
    if let changes = answer as? DeviceChanges, let rewrite = state.withLock({ $0.onDeviceChanges }) {
      return rewrite(changes) as? Answer ?? answer
    }
    if let batch = answer as? DeliveryBatch, let rewrite = state.withLock({ $0.onBatch }) {
      return rewrite(batch) as? Answer ?? answer
    }
    if let page = answer as? RestoredPage, let rewrite = state.withLock({ $0.onRestore }) {
      return rewrite(page) as? Answer ?? answer
    }
    if let page = answer as? TransactionChanges, let rewrite = state.withLock({ $0.onChanges }) {
      return rewrite(page) as? Answer ?? answer
    }
    return answer
  }
}

/// An answer of the store that is held back from the device.
final class HeldAnswer: Sendable {
  private let given = EventCounter()
  private let released = EventCounter()

  /// Returns when the store has answered.
  func isGiven() async { await given.next() }

  func release() { released.happened() }

  /// Reports that the answer is given, and waits for its release, or for the cancellation of the task.
  func hold() async {
    given.happened()
    await released.next()
  }
}
