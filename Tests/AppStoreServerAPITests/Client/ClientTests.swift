import AppStoreServerAPI
import Foundation
import HTTPTransport
import SignedData
import StoreModel
import Testing

@Suite("The client of the Server API", .timeLimit(.minutes(30)))
struct ClientTests {
  static let id = TransactionID(7)

  @Test("F3 a transaction is requested with a valid token, verified and typed")
  func transaction() async throws {
    let scripted = try ScriptedClient([
      .json(TransactionInfoResponse(signedTransactionInfo: try Samples.transaction()))
    ])
    let transaction = try await scripted.client.transaction(Self.id)
    #expect(transaction.value.transactionID == Self.id && transaction.value.productID == "credits.5")
    #expect(scripted.urls == ["https://api.storekit-sandbox.apple.com/inApps/v1/transactions/7"])
    let request = try #require(scripted.transport.requests.first)
    #expect(request.method == "GET" && request.body == nil && request.fields["Accept"] == "application/json")
    let check = ServerAPITokenCheck(keys: [Samples.key.keyID: Samples.key.verificationKey], apps: [Samples.bundleID])
    _ = try check.check(authorization: request.fields["Authorization"], at: Samples.date)
  }

  @Test("a body is sent as JSON, a call without one has an empty body, and empty answers are not read")
  func bodies() async throws {
    let scripted = try ScriptedClient([.text("no JSON", status: 200)]) {
      $0.sandboxURL = URL(string: "http://127.0.0.1:8080/sandbox/")!
    }
    try await scripted.client.send(FinishTransaction(transactionId: Self.id))
    try await scripted.client.send(SetAppAccountToken(originalTransactionId: Self.id, appAccountToken: CallTests.uuid))
    let requests = scripted.transport.requests
    #expect(requests[0].body == Data() && requests[0].fields["Content-Type"] == nil)
    #expect(requests[0].url.absoluteString == "http://127.0.0.1:8080/sandbox/inApps/v1/transactions/7/finish")
    #expect(requests[1].method == "PUT" && requests[1].fields["Content-Type"] == "application/json")
    #expect(requests[1].body == Data(#"{"appAccountToken":"\#(CallTests.uuid.uuidString)"}"#.utf8))
  }

  @Test("a token is used until shortly before it ends, and a refused one is not used again")
  func tokenReuse() async throws {
    let scripted = try ScriptedClient([.text("", status: 200)])
    let call = FinishTransaction(transactionId: Self.id)
    try await scripted.client.send(call)
    scripted.advance(seconds: 1_169)
    try await scripted.client.send(call)
    scripted.advance(seconds: 1)
    try await scripted.client.send(call)
    #expect(scripted.tokens[0] == scripted.tokens[1] && scripted.tokens[1] != scripted.tokens[2])
    scripted.transport.setAnswers([.text("Unauthenticated", status: 401), .text("", status: 200)])
    let error = try await scripted.error { try await $0.send(call) }
    guard case .unauthorized(detail: #""Unauthenticated""#)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(scripted.tokens.count == 4)
    try await scripted.client.send(call)
    #expect(scripted.tokens[3] == scripted.tokens[2] && scripted.tokens[4] != scripted.tokens[3])
  }

  @Test("production is asked first, and the sandbox only if production does not know the transaction id")
  func bothEnvironments() async throws {
    let signed = try Samples.transaction()
    let scripted = try ScriptedClient(
      [.error(.transactionIdNotFound), .json(TransactionInfoResponse(signedTransactionInfo: signed))],
      environments: .productionThenSandbox)
    #expect(try await scripted.client.transaction(Self.id).value.environment == .sandbox)
    #expect(scripted.urls.map { $0.contains("sandbox") } == [false, true])
    for code in [ServerAPIErrorCode.accountNotFound, .invalidTransactionId, .appTransactionDoesNotExist] {
      let other = try ScriptedClient([.error(code)], environments: .productionThenSandbox)
      #expect(try await other.error { _ = try await $0.transaction(Self.id) }?.code == code)
      #expect(other.urls.count == 1)
    }
    let unknown = try ScriptedClient([.error(.transactionIdNotFound)], environments: .productionThenSandbox)
    #expect(try await unknown.error { _ = try await $0.transaction(Self.id) }?.code == .transactionIdNotFound)
    #expect(unknown.urls.count == 2 && unknown.pauses.isEmpty)
    let single = try ScriptedClient([.error(.transactionIdNotFound)], environments: .production)
    #expect(try await single.error { _ = try await $0.transaction(Self.id) }?.code == .transactionIdNotFound)
    #expect(single.urls.count == 1)
  }

  @Test(
    "if production refuses the token, the sandbox is asked about a transaction id: the app was perhaps never released")
  func unreleased() async throws {
    let refused = ScriptedTransport.Answer.text("Unauthenticated", status: 401)
    let signed = try Samples.transaction()
    let known = try ScriptedClient(
      [refused, .json(TransactionInfoResponse(signedTransactionInfo: signed))], environments: .productionThenSandbox)
    #expect(try await known.client.transaction(Self.id).value.environment == .sandbox)
    #expect(known.urls.map { $0.contains("sandbox") } == [false, true])

    let unknown = try ScriptedClient(
      [refused, .error(.transactionIdNotFound)], environments: .productionThenSandbox)
    guard case .unauthorizedInProduction? = try await unknown.error({ _ = try await $0.transaction(Self.id) }) else {
      Issue.record("the id may be one of production")
      return
    }
    // The sandbox's own error counts: a token that it refuses, too, is wrong, and a failure is temporary.
    let wrong = try ScriptedClient([refused], environments: .productionThenSandbox)
    guard case .unauthorized? = try await wrong.error({ _ = try await $0.transaction(Self.id) }) else {
      Issue.record("the key is wrong")
      return
    }
    #expect(wrong.urls.count == 2)
    let failing = try ScriptedClient([refused, .error(.generalInternal)], environments: .productionThenSandbox)
    #expect(try await failing.error { _ = try await $0.transaction(Self.id) }?.code == .generalInternal)

    // A call without a transaction id would have another meaning in the sandbox.
    let test = try ScriptedClient([refused], environments: .productionThenSandbox)
    guard case .unauthorized? = try await test.error({ try await $0.send(RequestTestNotification()) }) else {
      Issue.record("it is accepted")
      return
    }
    #expect(test.urls.count == 1 && test.urls.allSatisfy { !$0.contains("sandbox") })
  }

  @Test("G6 signed data of another app, environment or signer is refused")
  func unverified() async throws {
    for signed in [try Samples.transaction(of: "com.example.other"), try Samples.transaction(in: .production), "a.b.c"]
    {
      let scripted = try ScriptedClient([.json(TransactionInfoResponse(signedTransactionInfo: signed))])
      guard case .unverified? = try await scripted.error({ _ = try await $0.transaction(Self.id) }) else {
        Issue.record("\(signed.prefix(20)) was accepted")
        continue
      }
    }
    let apple = try ScriptedClient([
      .json(TransactionInfoResponse(signedTransactionInfo: try Samples.transaction()))
    ]) { $0.anchors = .apple }
    guard case .unverified(let failure)? = try await apple.error({ _ = try await $0.transaction(Self.id) }) else {
      Issue.record("accepted")
      return
    }
    #expect(failure.fault == .chain)
  }

  @Test("F3 subscriptions are verified, and an unknown status is kept")
  func subscriptions() async throws {
    let item = LastTransaction(
      status: OpenEnum(rawValue: 9), originalTransactionId: Self.id, signedTransactionInfo: try Samples.transaction(),
      signedRenewalInfo: try Samples.renewalInfo())
    let scripted = try ScriptedClient([
      .json(
        StatusResponse(
          environment: OpenEnum(.sandbox), bundleId: Samples.bundleID,
          data: [SubscriptionGroupStatus(subscriptionGroupIdentifier: "20500001", lastTransactions: [item])]))
    ])
    let subscriptions = try await scripted.client.subscriptions(of: Self.id, statuses: [.active])
    #expect(subscriptions.map(\.status.rawValue) == [9] && subscriptions[0].groupID == "20500001")
    #expect(subscriptions[0].renewalInfo.value.autoRenewStatus == .on)
    #expect(scripted.urls[0].hasSuffix("/inApps/v1/subscriptions/7?status=1"))
  }

  @Test("an order that is not valid has no transactions, not an empty list")
  func orders() async throws {
    let invalid = try ScriptedClient(
      [.json(OrderLookupResponse(status: OpenEnum(.invalid)))], environments: .production)
    #expect(try await invalid.client.transactions(ofOrder: "M1") == nil)
    let valid = try ScriptedClient(
      [
        .json(
          OrderLookupResponse(
            status: OpenEnum(.valid), signedTransactions: [try Samples.transaction(in: .production)]))
      ], environments: .production)
    #expect(try await valid.client.transactions(ofOrder: "M1")?.count == 1)
  }

  @Test("a success that is no JSON, or larger than permitted, is an error and is not repeated")
  func unreadable() async throws {
    let scripted = try ScriptedClient([.text("<html>", status: 200)])
    guard case .unreadableAnswer? = try await scripted.error({ _ = try await $0.transaction(Self.id) }) else {
      Issue.record("read")
      return
    }
    #expect(scripted.urls.count == 1)
    let long = try ScriptedClient([.text(String(repeating: "x", count: 1_001), status: 200)]) {
      $0.longestAnswerBytes = 1_000
    }
    guard case .noAnswer(.unintelligible)? = try await long.error({ _ = try await $0.transaction(Self.id) }) else {
      Issue.record("read")
      return
    }
    #expect(long.urls.count == 1)
  }
}
