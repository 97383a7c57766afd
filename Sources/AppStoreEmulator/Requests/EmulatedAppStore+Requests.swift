import Foundation
import SignedData
import StoreModel

extension EmulatedAppStore {
  /// How a request reaches what answers it.
  struct Passage {
    /// What is to become of it.
    var conduct = FaultEffect.Conduct.asUsual
    fileprivate let journal: RequestJournal
    fileprivate let number: Int64
    fileprivate var giveBack: () -> Void = {}

    /// To be called if the conduct had no effect.
    func wasNeedless() {
      giveBack()
      journal.change(number) { $0.fault = nil }
    }

    /// To be called when the app that it is about is known.
    func learnApp(_ bundleID: BundleID) { journal.change(number) { $0.facts.bundleID = bundleID } }
  }

  /// Brings one request to its answer: the journal hears of it, and whatever fault is for it strikes.
  ///
  /// - Parameters:
  ///   - caller: who waits for the answer; nil for a task that is cancelled when it does not wait any more.
  ///   - outcome: what the journal says of an answer.
  ///   - answer: does what was asked, or what the fault has in its place.
  func pass<Answer: Sendable>(
    _ facts: RequestFacts, from caller: (any StoreCaller)?, outcome: (Answer) -> RequestOutcome,
    _ answer: (Passage) async throws -> Answer
  ) async throws -> Answer {
    let strike = faultDesk.strike(facts, clock: clock)
    let number = requestJournal.begin(facts, date: clock.now, fault: strike?.journaled)
    let passage = Passage(journal: requestJournal, number: number)
    do {
      let result =
        if let strike { try await suffer(strike, passage, from: caller, answer) } else { try await answer(passage) }
      requestJournal.change(number) { $0.outcome = outcome(result) }
      return result
    } catch {
      requestJournal.change(number) { $0.outcome = RequestOutcome(of: error) }
      throw error
    }
  }

  private func suffer<Answer: Sendable>(
    _ strike: FaultStrike, _ passage: Passage, from caller: (any StoreCaller)?,
    _ answer: (Passage) async throws -> Answer
  ) async throws -> Answer {
    let effect = strike.effect
    try await wait(effect.waitBefore, for: strike, from: caller)
    let result: Result<Answer, any Error>?
    if effect.conduct == .nothing {
      result = nil
    } else {
      var passage = passage
      passage.conduct = effect.conduct
      passage.giveBack = { self.faultDesk.giveBack(strike) }
      do {
        result = .success(try await answer(passage))
      } catch {
        // What went wrong is an answer too, and is as late or as lost as any other.
        result = .failure(error)
      }
    }
    try await wait(effect.waitAfter, for: strike, from: caller)
    let reason = "fault \(strike.id) (\(strike.kindName))"
    guard let result, effect.ending == .answer else {
      throw effect.ending == .unreachable
        ? StoreConnectionFailure.unreachable(reason: reason) : StoreConnectionFailure.noAnswer(reason: reason)
    }
    return try result.get()
  }

  private func wait(
    _ wait: FaultEffect.Wait, for strike: FaultStrike, from caller: (any StoreCaller)?
  ) async throws {
    switch await faultDesk.wait(wait, for: strike, caller: caller) {
    case .over: return
    case .callerGone: throw CancellationError()
    case .storeClosed: throw StoreConnectionFailure.noAnswer(reason: "the store was closed")
    }
  }
}
