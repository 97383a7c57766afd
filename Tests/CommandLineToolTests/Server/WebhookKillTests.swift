import Foundation
import PrivatePostgreSQL
import SharedFixtures
import StoreModel
import Testing

/// Two purchase servers of one ledger. The one that sends a message is killed with SIGKILL.
@Suite("A server that is killed while it sends messages of a webhook (PostgreSQL)", .timeLimit(.minutes(30)))
struct WebhookKillTests {
  @Test(
    """
    What it had sent and nobody had answered, and what it had committed and not sent, comes from the other server, in order, \
    with the same id
    """)
  func killed() async throws {
    let postgreSQL = try PrivatePostgreSQL.shared.get()
    let (folder, receiver, coinStore) = (try ScratchFolder(), SilentReceiver(), try await CoinStore())
    let sold = [try await coinStore.sell(1), try await coinStore.sell(2)]
    try await postgreSQL.withDatabase { connection in
      try await coinStore.listening { emulator in
        try await ScriptedServer.run(receiver.answer) { receiverPort in
          let configuration = folder.url.appending(path: "server.json")
          try JSONSerialization.data(withJSONObject: [
            "database": LoadedDatabase.postgreSQL(connection: connection).configuration,
            "trust": ["emulator": emulator],
            "content": ["folder": "content", "linkKeys": [Data(repeating: 7, count: 32).base64EncodedString()]],
            "apps": [["bundleId": CoinStore.app.rawValue, "verification": "offline"]],
            "log": ["level": "error"], "webhooks": ["allowLoopback": true],
          ]).write(to: configuration)
          let key = try await Program.output(of: "server", "operator-key", "--config", configuration.path, "olga")()
          let processes = ServerProcesses(configuration: configuration)
          try await processes.start(1)
          let client = LoadClient(ports: await processes.ports)
          try await LoadedOperators(client, key: key).publish()
          let created = try await client.send(
            "POST", "/v1/operator/webhooks", key,
            [
              "name": "backend", "url": "http://127.0.0.1:\(receiverPort)/hook", "environments": ["Sandbox"],
              "reason": "a test",
            ])
          #expect(created.status == 201, "\(created.text)")

          let load = RedemptionLoad(client)
          let customer = try await load.register()
          for proof in sold {
            let answer = try await load.redeem(proof, customer)
            #expect(answer.status == 200, "\(answer.text)")
            // The second message waits for the first one, which is of the same customer.
            await receiver.untilReceived(1)
          }
          try await processes.start(1)
          try await processes.kill(0) {
            receiver.answersFromNowOn()
            // The lease of the killed server would end by itself after two minutes.
            _ = try PlainConnection(connection).run("UPDATE webhook_delivery SET due = 0 WHERE state = 'sending'")
            await receiver.untilReceived(3)
          }
          try await processes.stop()
        }
      }
    }
    let messages = try receiver.messages()
    let ids = try sold.map { try RedemptionLoad.transactionID(of: $0) }
    #expect(messages.map(\.transaction) == [ids[0], ids[0], ids[1]])
    #expect(messages.count == 3 && messages[0].id == messages[1].id && messages[1].id != messages[2].id)
  }
}

/// Receives messages of webhooks. First it answers nothing, later 204.
private final class SilentReceiver: Sendable {
  private let requests = LockedValue<[String]>([])
  private let isSilent = LockedValue(true)
  private let changes = ChangeSignal(machine: SystemClock())

  struct Message: Sendable {
    let id: String
    let transaction: String
  }

  @Sendable func answer(_ request: String) async -> String {
    requests.withLock { $0.append(request) }
    changes.notify()
    if isSilent.value {
      // Until the test ends, and with it this task.
      let never = AsyncStream<Void> { _ in }
      for await _ in never {}
    }
    return "HTTP/1.1 204 No Content\r\n\r\n"
  }

  func answersFromNowOn() { isSilent.value = false }

  func untilReceived(_ count: Int) async {
    while true {
      let seen = changes.count
      if requests.value.count >= count { return }
      await changes.wait(beyond: seen, seconds: 1_800)
    }
  }

  func messages() throws -> [Message] {
    try requests.value.map { request in
      let parts = request.split(separator: "\r\n\r\n", maxSplits: 1)
      let id = parts[0].split(separator: "\r\n").first { $0.lowercased().hasPrefix("webhook-id:") }
      let body = try JSONSerialization.jsonObject(with: Data((parts.last ?? "").utf8)) as? [String: Any]
      let data = body?["data"] as? [String: Any]
      return Message(
        id: String(try #require(id)), transaction: try #require(data?["transactionId"] as? String))
    }
  }
}
