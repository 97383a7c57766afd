import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("What becomes of each answer of verifyReceipt", .timeLimit(.minutes(10)))
struct AnswerTableTests {
  @Test("G1 each answer ends as the table says, and is asked for again as it says", arguments: AnswerCase.all)
  func ending(of answer: AnswerCase) async throws {
    let (counter, proof) = try await answer.counter { $0.breaker.failures = 1_000 }
    let refusal = await counter.refusal(proof)
    #expect(refusal?.name ?? "verified" == answer.ending)
    #expect(counter.server.doors == answer.doors)
  }

  @Test("an answer counts for the breaker only if it cannot be about the receipt", arguments: AnswerCase.all)
  func counting(of answer: AnswerCase) async throws {
    let (counter, proof) = try await answer.counter {
      $0.retries = 0
      $0.breaker = BreakerThresholds(failures: 1, openSeconds: 77)
    }
    _ = await counter.refusal(proof)
    let asked = counter.server.requests.count
    let second = await counter.refusal(proof)
    #expect((counter.server.requests.count == asked) == answer.counts)
    #expect((second == .storeUnavailable(retryAfterSeconds: 77)) == answer.counts)
  }

  @Test("an operator hears of every failure, and of no good answer or refused receipt", arguments: AnswerCase.all)
  func troubles(of answer: AnswerCase) async throws {
    let (counter, proof) = try await answer.counter { $0.retries = 0 }
    let refusal = await counter.refusal(proof)
    let isTrouble = answer.again == "yes" || refusal?.isTemporary == true
    #expect(counter.troubles.all.isEmpty != isTrouble)
    #expect(counter.troubles.all.allSatisfy { $0.app == StoreAnswer.app && $0.url == ScriptedReceiptServer.production })
  }

  @Test("the documentation's table is this table")
  func documentation() throws {
    let file = URL(filePath: #filePath).appending(path: "../../../../../Documentation/verification.md").standardized
    let text = try String(contentsOf: file, encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0.hasPrefix("| the store's answer |") })
    let written = lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
      line.split(separator: "|").prefix(4).map { $0.trimmingCharacters(in: .whitespaces) }
    }
    var expected: [[String]] = []
    for answer in AnswerCase.all {
      let ending = answer.ending == "verified" ? answer.ending : "`\(answer.ending)`"
      let row = [answer.row, ending, answer.again, answer.counts ? "yes" : "no"]
      if expected.last != row { expected.append(row) }
    }
    #expect(written == expected)
  }
}
