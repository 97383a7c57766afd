import Foundation
import HTTPTransport
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("The outcome of each verifyReceipt answer", .timeLimit(.minutes(30)))
struct AnswerTableTests {
  @Test("G1 each answer has the outcome and the retries of the table", arguments: AnswerCase.all)
  func ending(of answer: AnswerCase) async throws {
    let (scripted, proof) = try await answer.scripted { $0.breaker.failures = 1_000 }
    let refusal = await scripted.refusal(proof)
    #expect(refusal?.name ?? "verified" == answer.ending)
    #expect(scripted.server.endpoints == answer.endpoints)
  }

  @Test(
    "an answer counts for the circuit breaker only if it cannot concern the receipt alone", arguments: AnswerCase.all)
  func counting(of answer: AnswerCase) async throws {
    let (scripted, proof) = try await answer.scripted {
      $0.retries = 0
      $0.breaker = BreakerThresholds(failures: 1, openSeconds: 77)
    }
    _ = await scripted.refusal(proof)
    let asked = scripted.server.requests.count
    let second = await scripted.refusal(proof)
    #expect((scripted.server.requests.count == asked) == answer.counts)
    #expect((second == .storeUnavailable(retryAfterSeconds: 77)) == answer.counts)
  }

  @Test("every error is reported to the operator, but no valid answer or refused receipt", arguments: AnswerCase.all)
  func reportedProblems(of answer: AnswerCase) async throws {
    let (scripted, proof) = try await answer.scripted { $0.retries = 0 }
    let refusal = await scripted.refusal(proof)
    let isReported = answer.again == "yes" || refusal?.isTemporary == true
    #expect(scripted.problems.all.isEmpty != isReported)
    #expect(
      scripted.problems.all.allSatisfy { $0.app == StoreAnswer.app && $0.url == ScriptedReceiptServer.production })
  }

  @Test("the documentation contains this table")
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
