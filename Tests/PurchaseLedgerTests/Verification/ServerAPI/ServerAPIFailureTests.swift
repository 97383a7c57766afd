import AppStoreServerAPI
import Foundation
import HTTPTransport
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator
@testable import PurchaseLedger

/// A failure of the App Store Server API, and how the verification ends: a row of the table of Documentation/verification.md.
struct ServerAPIFailure: Sendable, CustomTestStringConvertible {
  typealias Answer = @Sendable (TeaStore) throws -> HTTPReply

  let row: String
  let ending: String
  /// The number of seconds that the app waits; nil if the refusal has none.
  let seconds: Int?
  /// The age of the proof when it is sent, in seconds.
  var age: Int64 = 0
  /// Whether the operator is warned of a temporary failure.
  var isReported = true
  let answers: [Answer]

  var testDescription: String { "\(row) → \(ending)" }

  init(_ row: String, _ ending: String, _ answers: Answer...) {
    self.init(row: row, ending: ending, seconds: nil, answers: answers)
  }

  private static func later(_ row: String, waits seconds: Int = 30, _ answers: Answer...) -> ServerAPIFailure {
    ServerAPIFailure(row: row, ending: "storeUnavailable", seconds: seconds, answers: answers)
  }

  private init(row: String, ending: String, seconds: Int?, answers: [Answer]) {
    (self.row, self.ending, self.seconds, self.answers) = (row, ending, seconds, answers)
  }

  private static let unknown: [Answer] = [
    { _ in try .error(.transactionIdNotFound) }, { _ in try .error(.originalTransactionIdNotFound) },
    { _ in try .error(.accountNotFound) },
  ]

  private static var unknownFromOldProof: ServerAPIFailure {
    var failure = ServerAPIFailure(
      row: "404: unknown transaction or account", ending: "accountNotFound", seconds: nil, answers: unknown)
    failure.age = 3_601
    return failure
  }

  private static var unknownFromNewProof: ServerAPIFailure {
    var failure = ServerAPIFailure(
      row: "the same, and proof or purchase are at most an hour old", ending: "purchaseNotKnownYet", seconds: nil,
      answers: unknown)
    (failure.age, failure.isReported) = (3_600, false)
    return failure
  }

  static let all = [
    unknownFromOldProof, unknownFromNewProof,
    ServerAPIFailure(
      "400: no transaction id", "unreadable", { _ in try .error(.invalidTransactionId) },
      { _ in try .error(.invalidOriginalTransactionId) }, { _ in try .error(.appTransactionIdNotSupported) },
      { _ in try .error(.transactionIdIsNotOriginalTransactionId) }),
    ServerAPIFailure(
      "404: unknown app; 400: invalid app", "misconfigured", { _ in try .error(.appNotFound) },
      { _ in try .error(.invalidAppIdentifier) }),
    ServerAPIFailure("401", "misconfigured", { _ in .text("Unauthenticated", status: 401) }),
    later(
      "429, 500 with an error code, and retryable errors", { _ in try .error(.rateLimitExceeded) },
      { _ in try .error(.generalInternal) }, { _ in try .error(.generalInternalRetryable) },
      { _ in try .error(.accountNotFoundRetryable) }),
    later(
      "any other error code", waits: 3_600, { _ in try .error(.generalBadRequest) },
      { _ in try .json(ServerAPIError(errorCode: 4_099_999, errorMessage: "New."), status: 409) }),
    later(
      "HTTP 408, 429, 500 to 599 without an error code", { _ in .text("", status: 408) },
      { _ in .text("", status: 429) },
      { _ in .text("", status: 500) }, { _ in .text("Bad Gateway", status: 502) }),
    ServerAPIFailure(
      "any other HTTP status without an error code", "misconfigured", { _ in .text("<html>", status: 403) },
      { _ in .text("", status: 302) }),
    later(
      "no connection, no answer in time, or an answer too large",
      { _ in throw HTTPFailure.unreachable(reason: "refused") },
      { _ in throw HTTPFailure.noAnswer(reason: "timeout") },
      { _ in throw HTTPFailure.unintelligible(reason: "too large") }),
    later("an answer that cannot be read", { _ in .text("no JSON", status: 200) }),
    later(
      "signed data that is not genuine", waits: 3_600, { _ in try .info("a.b.c") },
      { shop in
        // Another signature.
        let (one, other) = (try ScriptedServerAPI.signed(by: shop), try ScriptedServerAPI.signed(8, by: shop))
        let parts = one.split(separator: ".").dropLast() + other.split(separator: ".").suffix(1)
        return try .info(parts.joined(separator: "."))
      }),
    ServerAPIFailure(
      "signed data of another app or environment", "misconfigured",
      { shop in try .info(ScriptedServerAPI.signed(by: shop) { $0.bundleID = TeaStore.otherApp }) },
      { shop in try .info(ScriptedServerAPI.signed(by: shop) { $0.rawEnvironment = "Production" }) }),
    later(
      "signed data about another purchase, or with a value out of range",
      { shop in try .info(ScriptedServerAPI.signed(8, by: shop)) },
      { shop in try .info(ScriptedServerAPI.signed(by: shop) { $0.quantity = 0 }) }),
    later(
      "signed data dated a day or more after this server's clock",
      { shop in
        try .info(ScriptedServerAPI.signed(by: shop) { $0.signedDate = shop.clock.now.adding(seconds: 86_401) })
      }),
  ]
}

@Suite("The outcome of each failure of the Server API", .timeLimit(.minutes(30)))
struct ServerAPIFailureTests {
  @Test("each failure has the outcome of the table, and temporary ones are reported", arguments: ServerAPIFailure.all)
  func ending(of failure: ServerAPIFailure) async throws {
    for answer in failure.answers {
      let scripted = try await ScriptedServerAPI { shop, _, _ in try answer(shop) }
      let proof = PurchaseProof.signedTransaction(try ScriptedServerAPI.signed(by: scripted.shop))
      scripted.shop.clock.advance(seconds: failure.age)
      let refusal = await scripted.refusal(of: proof)
      #expect(refusal?.name == failure.ending)
      if let seconds = failure.seconds { #expect(refusal == .storeUnavailable(retryAfterSeconds: seconds)) }
      #expect(scripted.problems.all.isEmpty == (refusal?.isTemporary != true || !failure.isReported))
      // The app accepts both environments, and the proof is of the sandbox.
      #expect(
        scripted.problems.all.allSatisfy {
          $0.app == TeaStore.app && $0.api == .serverAPI && $0.url == ScriptedServerAPI.sandbox
        })
    }
  }

  @Test("the documentation contains this table")
  func documentation() throws {
    let file = URL(filePath: #filePath).appending(path: "../../../../../Documentation/verification.md").standardized
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0.hasPrefix("| the Server API's answer |") })
    let written = lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
      line.split(separator: "|").prefix(2).map { $0.trimmingCharacters(in: .whitespaces) }
    }
    #expect(written == ServerAPIFailure.all.map { [$0.row, "`\($0.ending)`"] })
  }
}
