import ControlAPI
import Foundation
import StoreModel
import Testing

/// An emulator that is killed with SIGKILL while it has notifications to send, and started again on its folder.
@Suite("An emulator that is killed before a notification was answered", .timeLimit(.minutes(30)))
struct KilledEmulatorTests {
  private static let environments = ["Production", "Sandbox"]

  @Test(
    "committed and not sent: the notification that was stored is sent, once, with the stored contents",
    arguments: environments)
  func beforeSending(environment: String) async throws {
    try await KilledEmulator.run { killing in
      try await killing.start()
      try await killing.ask("PATCH", "notifications/policy", #"{"hold":true}"#)
      try await killing.buy(in: environment)
      let uuid = try #require(try await killing.notifications().first?["uuid"] as? String)
      let stored = try await killing.ask("GET", "notifications/\(uuid)")
      #expect(stored["signedPayload"] == nil, "nothing was sent, so nothing is signed")
      try await killing.kill()
      #expect(killing.receiver.payloads.isEmpty)

      try await killing.start()
      #expect(try await killing.settle() == ["sent": 1, "failed": 0, "held": 0])
      #expect(killing.receiver.payloads.count == 1)
      let sent = try KilledEmulator.contents(of: try #require(killing.receiver.payloads.first))
      #expect(sent["notificationUUID"] as? String == uuid)
      // The stored payload has words in place of the signed data.
      var (expected, actual) = (try #require(stored["payload"] as? [String: Any]), sent)
      let (signed, data) = (try #require(sent["data"] as? [String: Any]), expected["data"] as? [String: Any])
      (expected["data"], actual["data"]) = (nil, nil)
      #expect(try KilledEmulator.text(expected) == KilledEmulator.text(actual))
      #expect(data?.keys.sorted() == signed.keys.sorted())
      let transaction = try KilledEmulator.contents(of: try #require(signed["signedTransactionInfo"] as? String))
      let storedTransaction = try #require(stored["transactionInfo"] as? [String: Any])
      #expect(try KilledEmulator.text(transaction) == KilledEmulator.text(storedTransaction))
    }
  }

  @Test(
    "sent and not answered: it is sent again with the same bytes, and a third start sends nothing",
    arguments: environments)
  func beforeTheAnswer(environment: String) async throws {
    try await KilledEmulator.run { killing in
      try await killing.start()
      try await killing.ask("PATCH", "notifications/policy", #"{"hold":true}"#)
      try await killing.buy(in: environment)
      try killing.receiver.killAtNextRequest(#require(killing.program))
      // The answer to this call may be lost, too.
      _ = try? await killing.ask("PATCH", "notifications/policy", #"{"hold":false}"#)
      try await killing.untilKilled()
      #expect(killing.receiver.payloads.count == 1)

      try await killing.start()
      #expect(try await killing.settle() == ["sent": 1, "failed": 0, "held": 0])
      let payloads = killing.receiver.payloads
      #expect(payloads.count == 2 && Set(payloads).count == 1)
      let listed = try #require(try await killing.notifications().first)
      #expect(try KilledEmulator.contents(of: payloads[0])["notificationUUID"] as? String == listed["uuid"] as? String)
      #expect((listed["attempts"] as? [[String: Any]])?.map { $0["result"] as? String } == ["SUCCESS"])

      try await killing.kill()
      try await killing.start()
      // The numbers are those of all notifications.
      #expect(try await killing.settle() == ["sent": 1, "failed": 0, "held": 0])
      #expect(killing.receiver.payloads.count == 2)
    }
  }

  @Test("killed at once after each of ten purchases: each is notified, and what comes twice has the same bytes")
  func atOnce() async throws {
    try await KilledEmulator.run { killing in
      var bought: Set<String> = []
      for number in 0..<10 {
        try await killing.start()
        bought.insert(try await killing.buy(in: Self.environments[number % 2]))
        try await killing.kill()
      }
      try await killing.start()
      _ = try await killing.settle()
      var payloads: [String: Set<String>] = [:]
      for payload in killing.receiver.payloads {
        let uuid = try KilledEmulator.contents(of: payload)["notificationUUID"] as? String
        payloads[try #require(uuid), default: []].insert(payload)
      }
      #expect(payloads.count == 10 && payloads.values.allSatisfy { $0.count == 1 })
      let listed = try await killing.notifications()
      #expect(Set(listed.compactMap { $0["transactionId"] as? String }) == bought)
      #expect(Set(listed.compactMap { $0["uuid"] as? String }) == Set(payloads.keys))
      #expect(listed.allSatisfy { $0["state"] as? String == "sent" })
    }
  }
}

/// The emulator's processes on one folder, and the server that receives the notifications.
private final class KilledEmulator: Sendable {
  /// Answers 200 and keeps the signed payloads, also those of requests that it does not answer.
  final class Receiver: Sendable {
    private let received = LockedValue<[String]>([])
    private let victim = LockedValue<Program?>(nil)

    var payloads: [String] { received.value }

    func killAtNextRequest(_ program: Program) { victim.value = program }

    func answer(to request: String) -> String {
      let body = request.range(of: "\r\n\r\n").map { request[$0.upperBound...] } ?? ""
      let object = try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]
      received.withLock { $0.append(object?["signedPayload"] as? String ?? "no payload: \(request)") }
      let victim = victim.withLock { victim in
        defer { victim = nil }
        return victim
      }
      guard let victim else { return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
      victim.send(SIGKILL)
      return ""
    }
  }

  let receiver: Receiver
  private let folder: ScratchFolder
  private let arguments: [String]
  private let running = LockedValue<(program: Program, client: ControlAPIClient)?>(nil)

  var program: Program? { running.value?.program }

  static func run(_ body: @escaping @Sendable (KilledEmulator) async throws -> Void) async throws {
    let receiver = Receiver()
    try await ScriptedServer.run({ receiver.answer(to: $0) }) { port in
      try await body(KilledEmulator(receiver, port))
    }
  }

  private init(_ receiver: Receiver, _ port: Int) throws {
    self.receiver = receiver
    folder = try ScratchFolder()
    let catalog = try folder.write(
      "shop.storekit", #"{"products": [{"productID": "a", "type": "Consumable", "displayPrice": "1"}]}"#)
    arguments = [
      "emulator", "--config", catalog, "--bundle-id", "org.example.a", "--data",
      folder.url.appending(path: "store").path,
      "--port", "0", "--notification-url", "http://127.0.0.1:\(port)/",
    ]
  }

  func start() async throws {
    let program = try Program(arguments: arguments)
    let line = await program.output(until: "\n")
    let address = try #require(
      URL(string: String(line.dropFirst("ready ".count).dropLast())), "\(program.standardError)")
    running.value = (program, ControlAPIClient(address: address))
  }

  func kill() async throws {
    program?.send(SIGKILL)
    try await untilKilled()
  }

  func untilKilled() async throws {
    let program = try #require(program)
    #expect(try await program.finish().status == SIGKILL, "\(program.standardError)")
  }

  @discardableResult
  func ask(_ method: String, _ path: String, _ body: String? = nil) async throws -> [String: Any] {
    let client = try #require(running.value?.client)
    let answer = try await client.document(method, "control/v1/\(path)", body.map { Data($0.utf8) })
    return try JSONSerialization.jsonObject(with: answer) as? [String: Any] ?? [:]
  }

  /// Returns the transaction's id.
  @discardableResult
  func buy(in environment: String) async throws -> String {
    let bought = try await ask(
      "POST", "purchases",
      #"{"bundleId":"org.example.a","environment":"\#(environment)","customer":"customer","productId":"a"}"#)
    return try #require(bought["transactionId"] as? String)
  }

  func notifications() async throws -> [[String: Any]] {
    try await ask("GET", "notifications")["notifications"] as? [[String: Any]] ?? []
  }

  func settle() async throws -> [String: Int]? {
    try await ask("POST", "notifications/settle", #"{"timeoutMilliseconds":600000}"#) as? [String: Int]
  }

  /// JSON with its members sorted.
  static func text(_ object: [String: Any]) throws -> String {
    String(decoding: try JSONSerialization.data(withJSONObject: object, options: .sortedKeys), as: UTF8.self)
  }

  /// The contents of a JWS.
  static func contents(of jws: String) throws -> [String: Any] {
    let parts = jws.split(separator: ".")
    try #require(parts.count == 3, "\(jws)")
    let text = parts[1].replacing("-", with: "+").replacing("_", with: "/")
    let bytes = Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4))
    let data = try #require(bytes)
    return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
  }
}
