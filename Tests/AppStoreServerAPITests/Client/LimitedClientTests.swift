import AppStoreServerAPI
import Foundation
import HTTPTransport
import StoreModel
import Testing

@Suite("Calls that belong together", .timeLimit(.minutes(30)))
struct LimitedClientTests {
  private static let finish = FinishTransaction(transactionId: TransactionID(7))

  @Test("the calls of a limited client have one deadline, and the token and the breakers of the whole client")
  func deadline() async throws {
    let scripted = try ScriptedClient([.text("", status: 200)])
    let limited = scripted.client.limited(totalTimeoutSeconds: 5)
    try await limited.send(Self.finish)
    scripted.advance(seconds: 5)
    await #expect(throws: ServerAPIClientError.self) { try await limited.send(Self.finish) }
    #expect(scripted.urls.count == 1)
    try await scripted.client.send(Self.finish)
    #expect(scripted.tokens[0] == scripted.tokens[1])
    // A pause that would end after the deadline is not made.
    try scripted.transport.setAnswers([.error(.generalInternalRetryable)])
    let short = scripted.client.limited(totalTimeoutSeconds: 1)
    await #expect(throws: ServerAPIClientError.self) { try await short.send(Self.finish) }
    #expect(scripted.pauses == [250, 500])
  }

  @Test("each retry needs a permission, and the wait of a refused one is reported")
  func permission() async throws {
    let scripted = try ScriptedClient([.error(.generalInternalRetryable)])
    let asked = LockedValue(0)
    let limited = scripted.client.limited(totalTimeoutSeconds: 60) {
      asked.withLock { asked in
        asked += 1
        return asked > 1 ? 17 : nil
      }
    }
    var error: ServerAPIClientError?
    do { try await limited.send(Self.finish) } catch let thrown as ServerAPIClientError { error = thrown }
    guard case .paused(retryAfterSeconds: 17) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(scripted.urls.count == 2 && asked.value == 2)
  }

  @Test("a transaction and the subscriptions can be asked for in one environment")
  func oneEnvironment() async throws {
    let answer = try ScriptedTransport.Answer.json(
      TransactionInfoResponse(signedTransactionInfo: try Samples.transaction()))
    let scripted = try ScriptedClient([answer], environments: .productionThenSandbox)
    #expect(try await scripted.client.transaction(TransactionID(7), in: .sandbox).value.environment == .sandbox)
    let statuses = StatusResponse(environment: OpenEnum(.sandbox), bundleId: Samples.bundleID, data: [])
    try scripted.transport.setAnswers([.json(statuses)])
    #expect(try await scripted.client.subscriptions(of: TransactionID(7), in: .sandbox).isEmpty)
    #expect(scripted.urls.allSatisfy { $0.contains("sandbox") })
  }

  @Test("a key is never printed")
  func secret() {
    var dumped = ""
    dump(Samples.key, to: &dumped)
    let secret = Samples.privateKey.rawRepresentation
    for text in ["\(Samples.key)", String(reflecting: Samples.key), dumped] {
      #expect(text.contains(Samples.key.keyID) && !text.contains("PrivateKey"))
      #expect(!text.contains(secret.base64EncodedString()))
    }
    #expect(Samples.key == Samples.key && Set([Samples.key, Samples.key]).count == 1)
  }
}
