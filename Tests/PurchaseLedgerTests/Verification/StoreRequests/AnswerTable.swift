import StoreModel
import Testing

@testable import PurchaseLedger

/// An answer of the store and the result of the verification: one case of the table of Documentation/verification.md.
struct AnswerCase: Sendable, CustomTestStringConvertible {
  typealias Answer = ScriptedReceiptServer.Answer

  /// The text of the documentation's first column. Several cases may belong to one row.
  let row: String
  let production: [Answer]
  let sandbox: [Answer]
  let proof: PurchaseProof
  /// `verified`, or the name of the refusal.
  let ending: String
  /// The environments whose endpoints are asked, in order.
  let endpoints: [StoreEnvironment]
  let counts: Bool
  /// Whether the verifier can verify the receipt's signature itself.
  let isSignatureVerified: Bool
  /// Whether the receipt belongs to another app.
  let isOfOtherApp: Bool

  var testDescription: String { "\(row) → \(ending)" }

  init(
    _ row: String, _ production: [Answer], sandbox: [Answer] = [], on proof: PurchaseProof = ScriptedVerifier.receipt,
    _ ending: String, retried: Bool = false, endpoints: [StoreEnvironment]? = nil, counts: Bool = false,
    isSignatureVerified: Bool = false, isOfOtherApp: Bool = false
  ) {
    self.row = row
    self.production = production
    self.sandbox = sandbox
    self.proof = proof
    self.ending = ending
    self.endpoints = endpoints ?? Array(repeating: .production, count: retried ? 4 : 1)
    self.counts = counts
    self.isSignatureVerified = isSignatureVerified
    self.isOfOtherApp = isOfOtherApp
  }

  /// Returns a verifier with a store that gives this answer, and the proof to verify.
  func scripted(
    _ change: (inout VerifyReceiptPolicy) -> Void
  ) async throws -> (scripted: ScriptedVerifier, proof: PurchaseProof) {
    guard isSignatureVerified || isOfOtherApp else {
      return (try ScriptedVerifier(production, sandbox: sandbox, change), proof)
    }
    let shop = try await TeaStore()
    let app = isOfOtherApp ? TeaStore.otherApp : TeaStore.app
    let bought = try await shop.buy(on: try await shop.phone(app: app))
    let proof =
      proof.kind == .appReceipt ? PurchaseProof.appReceipt(bought.appReceipt) : .legacyReceipt(bought.legacyReceipt)
    return (
      try ScriptedVerifier(production, sandbox: sandbox, anchors: isSignatureVerified ? shop.anchors : nil, change),
      proof
    )
  }

  /// The documentation's third column.
  var again: String {
    if Set(endpoints).count > 1 { return "at the other endpoint" }
    return endpoints.count > 1 ? "yes" : "no"
  }

  static let all: [AnswerCase] = statuses + internalErrors + otherStatuses + failures + contents

  private static let statuses = [
    AnswerCase("0", [StoreAnswer.app()], "verified"),
    AnswerCase("0", [StoreAnswer.legacy()], on: ScriptedVerifier.legacy, "verified"),
    AnswerCase("21000", [.status(21000)], "misconfigured"),
    AnswerCase("21001", [.status(21001)], "storeUnavailable"),
    AnswerCase("21002", [.status(21002)], "unreadable", retried: true),
    AnswerCase(
      "21002 on a receipt that is verified by this server", [.status(21002)], "storeUnavailable", retried: true,
      isSignatureVerified: true),
    AnswerCase("21003", [.status(21003)], "forged"),
    AnswerCase(
      "21003 on a receipt that is verified by this server", [.status(21003)], "storeUnavailable", retried: true,
      isSignatureVerified: true),
    AnswerCase(
      "21003 on a receipt that is verified by this server", [.status(21003)], on: ScriptedVerifier.legacy,
      "storeUnavailable", retried: true,
      isSignatureVerified: true),
    AnswerCase("21004", [.status(21004)], "misconfigured"),
    AnswerCase(
      "21004 on a receipt that names another app", [.status(21004)], "wrongApp", isOfOtherApp: true),
    AnswerCase(
      "21004 on a receipt that names another app", [.status(21004)], on: ScriptedVerifier.legacy, "wrongApp",
      isOfOtherApp: true),
    AnswerCase("21005", [.status(21005)], "storeUnavailable", retried: true, counts: true),
    AnswerCase(
      "21006 on a legacy receipt", [StoreAnswer.legacy(["expires_date": "1"], status: 21006)],
      on: ScriptedVerifier.legacy,
      "verified"),
    AnswerCase("21006 on an app receipt", [.status(21006)], "storeUnavailable"),
    AnswerCase(
      "21007 from production", [.status(21007)], sandbox: [StoreAnswer.app(answer: ["environment": "Sandbox"])],
      "verified", endpoints: [.production, .sandbox]),
    AnswerCase(
      "21008 from the sandbox", [.status(21007), StoreAnswer.app()], sandbox: [.status(21008)], "verified",
      endpoints: [.production, .sandbox, .production]),
    AnswerCase("21008 from production", [.status(21008)], "misconfigured"),
    AnswerCase("21009", [.status(21009)], "storeUnavailable", retried: true),
    AnswerCase("21010", [.status(21010)], "accountNotFound"),
  ]

  private static let internalErrors =
    [
      "true", "1", "\"true\"", "\"1\"",
    ].flatMap { flag in
      ["is_retryable", "is-retryable"].map { name in
        AnswerCase(
          "21100 to 21199, retryable", [.json("{\"status\":21150,\"\(name)\":\(flag)}")], "storeUnavailable",
          retried: true)
      }
    }
    + ["false", "0", "\"false\"", "\"0\"", "null", "\"perhaps\"", "2"].map { flag in
      AnswerCase(
        "21100 to 21199, not retryable", [.json("{\"status\":21100,\"is_retryable\":\(flag)}")], "storeUnavailable")
    } + [AnswerCase("21100 to 21199, not retryable", [.status(21199)], "storeUnavailable")]

  private static let otherStatuses = [21011, 21099, 21200, -1].map {
    AnswerCase("any other status", [.status($0)], "storeUnavailable")
  }

  private static let failures =
    [
      AnswerCase(
        "no connection", [.failure(.noConnection(detail: "refused"))], "storeUnavailable", retried: true, counts: true),
      AnswerCase("no answer in time", [.failure(.timeout)], "storeUnavailable", retried: true, counts: true),
      AnswerCase("an answer too large", [.failure(.answerTooLarge)], "storeUnavailable", retried: true, counts: true),
    ]
    + [408, 429, 500, 502, 503, 599].map {
      AnswerCase("HTTP 408, 429, 500 to 599", [.http($0)], "storeUnavailable", retried: true, counts: true)
    }
    + [204, 301, 302, 400, 403, 404, 600].map {
      AnswerCase("any other HTTP status but 200", [.http($0)], "misconfigured")
    }
    + [AnswerCase("HTTP 413", [.http(413)], "unreadable")]
    + ["", "garbage", "<html></html>", "[]", "{}", "{\"status\":\"none\"}", "{\"status\":0.5}", "{\"status\":0", "0"]
    .map { AnswerCase("no answer of `verifyReceipt`", [.json($0)], "storeUnavailable", retried: true, counts: true) }

  /// 9999-12-31
  private static let yearNinetyNine = "253402300799000"

  private static let contents = [
    AnswerCase(
      "0, contents unreadable", [StoreAnswer.app([StoreAnswer.purchase("one")])], "storeUnavailable", retried: true),
    AnswerCase("0, contents unreadable", [.status(0)], "storeUnavailable", retried: true),
    AnswerCase("0, contents unreadable", [StoreAnswer.legacy()], "storeUnavailable", retried: true),
    AnswerCase(
      "0, contents unreadable", [StoreAnswer.app()], on: ScriptedVerifier.legacy, "storeUnavailable", retried: true),
    AnswerCase(
      "0, dated a day or more after this server's clock",
      [StoreAnswer.app(receipt: ["request_date_ms": yearNinetyNine])],
      "storeUnavailable", retried: true),
    AnswerCase(
      "0, dated a day or more after this server's clock",
      [StoreAnswer.app([StoreAnswer.purchase("100", ["cancellation_date_ms": yearNinetyNine])])], "storeUnavailable",
      retried: true),
    AnswerCase(
      "0, dated a day or more after this server's clock",
      [StoreAnswer.legacy(["cancellation_date_ms": yearNinetyNine])], on: ScriptedVerifier.legacy, "storeUnavailable",
      retried: true),
    AnswerCase("0, of another app", [StoreAnswer.app(receipt: ["bundle_id": "org.example.other"])], "wrongApp"),
    AnswerCase(
      "0, of another app", [StoreAnswer.legacy(["bid": "org.example.other"])], on: ScriptedVerifier.legacy, "wrongApp"),
    AnswerCase(
      "0, `environment` is not the endpoint's", [StoreAnswer.app(answer: ["environment": "Sandbox"])], "misconfigured"),
    AnswerCase(
      "0, `environment` is not the endpoint's", [StoreAnswer.app(answer: ["environment": "Xcode"])], "misconfigured"),
  ]
}
