import StoreModel
import Testing

@testable import PurchaseKit

@Suite("The state machine that retries product requests", .timeLimit(.minutes(30)))
struct ProductRetryTests {
  @Test("A6 failed products are waited for once, together, and requested together")
  func union() {
    var retry = ProductRetry()
    #expect(retry.start() == nil)
    #expect(retry.began(["a"]) == nil)
    #expect(retry.began(["b"]) == nil)
    #expect(retry.ended(["a"], .failed) == .wait(afterFailures: 1, turn: 1))
    #expect(retry.ended(["b"], .failed) == nil)
    #expect(retry.unanswered == ["a", "b"])
    #expect(retry.waited(turn: 1) == .request(["a", "b"], turn: 2))
    #expect(retry.isUnderWay("a"))
    #expect(retry.ended(["a", "b"], .failed, turn: 2) == .wait(afterFailures: 2, turn: 3))
    #expect(retry.waited(turn: 3) == .request(["a", "b"], turn: 4))
    #expect(retry.ended(["a", "b"], .answered, turn: 4) == nil)
    #expect(retry.unanswered.isEmpty)
    // The wait after the next failure is short again.
    _ = retry.began(["c"])
    #expect(retry.ended(["c"], .failed) == .wait(afterFailures: 1, turn: 5))
  }

  @Test("A6 a request of the app takes over its products; its answer ends the wait for the others")
  func takeOver() {
    var retry = waiting(for: ["a", "b"])
    #expect(retry.began(["a"]) == nil)
    // A product that the app's own request asks for is not requested twice.
    #expect(retry.ended(["a"], .answered) == .request(["b"], turn: 2))
    #expect(retry.waited(turn: 1) == nil)

    retry = waiting(for: ["a", "b"])
    #expect(retry.began(["a", "b"]) == .idle)
    #expect(retry.waited(turn: 1) == nil)
    #expect(retry.ended(["a", "b"], .failed) == .wait(afterFailures: 2, turn: 2))
  }

  @Test("A6 a cancelled request is no failure of the store: its products are waited for again")
  func cancelled() {
    var retry = waiting(for: ["a"])
    #expect(retry.began(["a", "b"]) == .idle)
    #expect(retry.ended(["a", "b"], .cancelled) == .wait(afterFailures: 2, turn: 2))
    #expect(retry.unanswered == ["a"])
    #expect(retry.waited(turn: 2) == .request(["a"], turn: 3))
  }

  @Test(
    "A6 nothing is requested before start or after stop, and failed products are waited for at the next start")
  func stopped() {
    var retry = ProductRetry()
    _ = retry.began(["a"])
    #expect(retry.ended(["a"], .failed) == nil)
    #expect(retry.start() == .wait(afterFailures: 1, turn: 1))
    #expect(retry.stop() == .idle)
    #expect(retry.waited(turn: 1) == nil)
    #expect(retry.start() == .wait(afterFailures: 1, turn: 2))
    #expect(retry.waited(turn: 2) == .request(["a"], turn: 3))
    // If the manager is stopped and started during a request, it waits for that request and does not send another one.
    #expect(retry.stop() == .idle)
    #expect(retry.start() == nil)
    #expect(retry.ended(["a"], .cancelled, turn: 3) == .wait(afterFailures: 1, turn: 4))
  }

  @Test(
    "A6 in any order of events, there is one request at a time, nothing is requested twice, and nothing is forgotten",
    arguments: 0..<200)
  func anyOrder(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var retry = ProductRetry()
    var isStarted = false
    var waits: Int?
    var asked: (ids: Set<String>, turn: Int)?
    var requests: [Set<String>] = []
    func follow(_ step: ProductRetry.Step?) {
      switch step {
      case nil: return
      case .idle: waits = nil
      case .wait(let failures, let turn):
        #expect(failures >= 1)
        #expect(waits == nil)
        waits = turn
      case .request(let ids, let turn):
        #expect(!ids.isEmpty)
        #expect(ids.allSatisfy { id in !requests.contains { $0.contains(id) } && asked?.ids.contains(id) != true })
        waits = nil
        #expect(asked == nil)
        asked = (ids, turn)
      }
    }
    let outcomes: [ProductRetry.Outcome] = [.answered, .failed, .failed, .cancelled]
    for _ in 0..<300 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<3:
        let ids = Set(["a", "b", "c", "d"].filter { _ in Bool.random(using: &random) })
        guard !ids.isEmpty else { continue }
        requests.append(ids)
        follow(retry.began(ids))
      case 3..<6 where !requests.isEmpty:
        let ids = requests.remove(at: Int.random(in: 0..<requests.count, using: &random))
        follow(retry.ended(ids, outcomes.randomElement(using: &random) ?? .failed))
      case 6, 7:
        if let turn = waits { follow(retry.waited(turn: turn)) }
      case 8:
        if let (ids, turn) = asked {
          asked = nil
          follow(retry.ended(ids, outcomes.randomElement(using: &random) ?? .failed, turn: turn))
        }
      default:
        // Stopping also cancels the retry's request, which reports that before the next step.
        isStarted.toggle()
        follow(isStarted ? retry.start() : retry.stop())
        if !isStarted, let (ids, turn) = asked {
          asked = nil
          follow(retry.ended(ids, .cancelled, turn: turn))
        }
      }
      let underWay = requests.reduce(asked?.ids ?? []) { $0.union($1) }
      let left = retry.unanswered.subtracting(underWay)
      // While a retry's request runs, products that fail meanwhile are requested after it.
      #expect(waits != nil || asked != nil || left.isEmpty || !isStarted)
      if !isStarted { #expect(waits == nil) }
      if waits != nil { #expect(!left.isEmpty) }
    }
  }

  private func waiting(for identifiers: Set<String>) -> ProductRetry {
    var retry = ProductRetry()
    _ = retry.start()
    _ = retry.began(identifiers)
    #expect(retry.ended(identifiers, .failed) == .wait(afterFailures: 1, turn: 1))
    return retry
  }
}
