import Foundation
import HTTPTransport
import SharedFixtures
import StoreModel
import Testing

@testable import CommandLineTool
@testable import ProgramSupport

@Suite("openstorekit server import", .timeLimit(.minutes(30)))
struct ServerImportTests {
  private struct Outcome {
    let status: Int32
    let standardOutput: String
    let standardError: String

    var output: String { standardOutput + standardError }
  }

  /// A running server of an emulator, and a file of coins for one customer.
  private struct Shop: Sendable {
    let folder: ScratchFolder
    let address: String
    let key: String
    let customer: String
    let token: String

    static func running(_ sales: Int, _ body: @Sendable (Shop) async throws -> Void) async throws {
      let (store, folder) = (try await CoinStore(), try ScratchFolder())
      var proofs: [String] = []
      for number in 0..<sales { proofs.append(try await store.sell(number)) }
      let sold = proofs
      try await store.listening { emulator in
        let document: [String: Any] = [
          "database": ["sqlite": "ledger.sqlite"], "trust": ["emulator": emulator], "log": ["level": "error"],
          "content": ["folder": "content"], "apps": [["bundleId": CoinStore.app.rawValue]],
        ]
        let configuration = folder.url.appending(path: "server.json")
        try JSONSerialization.data(withJSONObject: document).write(to: configuration)
        let key = try await Program.output(of: "server", "operator-key", "--config", configuration.path, "olga")()
          .trimmingCharacters(in: .whitespacesAndNewlines)
        let processes = ServerProcesses(configuration: configuration)
        try await processes.start(1)
        let address = "http://127.0.0.1:\(try #require(await processes.ports.first))"
        let product = Data(#"{"type": "Consumable", "credits": {"unit": "coins", "amount": 5}}"#.utf8)
        _ = try await call(
          "PUT", "\(address)/v1/operator/apps/\(CoinStore.app)/products/\(CoinStore.coins)", key, product)
        let made = try await call("POST", "\(address)/v1/apps/\(CoinStore.app)/installations", nil, Data("{}".utf8))
        let shop = Shop(
          folder: folder, address: address, key: key, customer: try #require(made["customer"] as? String),
          token: try #require(made["token"] as? String))
        let rows = sold.map { "\(shop.customer),\($0)" }
        try folder.write("purchases.csv", (["customer,signedTransaction"] + rows + [""]).joined(separator: "\n"))
        try await body(shop)
        try await processes.stop()
      }
    }

    private static func call(
      _ method: String, _ url: String, _ token: String?, _ body: Data?
    ) async throws -> [String: Any] {
      var fields = ["Content-Type": "application/json"]
      if let token { fields["Authorization"] = "Bearer \(token)" }
      let reply = try await SystemTransport(timeoutSeconds: 60).reply(
        to: HTTPCall(method, try #require(URL(string: url)), fields: fields, body: body))
      #expect((200..<300).contains(reply.status), "\(String(decoding: reply.body, as: UTF8.self))")
      return (try? JSONSerialization.jsonObject(with: reply.body)) as? [String: Any] ?? [:]
    }

    var balance: Int {
      get async throws {
        let list = try await Self.call("GET", "\(address)/v1/apps/\(CoinStore.app)/credits", token, nil)
        return (list["credits"] as? [[String: Any]])?.first?["balance"] as? Int ?? 0
      }
    }

    /// Runs a command of Documentation/running-the-server.md for this server and app.
    func run(documented number: Int) async throws -> Outcome {
      let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
      let page = try String(
        contentsOf: root.appending(path: "Documentation/running-the-server.md"), encoding: .utf8)
      let lines = page.split(separator: "\n").filter { $0.hasPrefix("openstorekit server import ") }
      #expect(lines.count == 2)
      let line = lines[number].replacing("com.example.reader", with: CoinStore.app.rawValue)
      let programs = try Program.executable().deletingLastPathComponent().path
      let program = try Program(
        arguments: ["-c", "\(line) --server \(address) --per-second 1000"],
        environment: ["OPENSTOREKIT_OPERATOR_KEY": key, "NO_PROXY": "*", "PATH": "\(programs):/usr/bin:/bin"],
        executable: "sh", in: folder.url)
      let (output, status) = try await program.finish()
      return Outcome(status: status, standardOutput: output, standardError: program.standardError)
    }

    /// Runs the program with further arguments.
    func run(_ arguments: String...) async throws -> Outcome { try await run(arguments) }

    func run(_ arguments: [String]) async throws -> Outcome {
      let program = try Program(
        arguments: [
          "server", "import", folder.path("purchases.csv"), "--app", CoinStore.app.rawValue, "--server", address,
        ]
          + arguments, environment: ["OPENSTOREKIT_OPERATOR_KEY": key, "NO_PROXY": "*"])
      let (output, status) = try await program.finish()
      return Outcome(status: status, standardOutput: output, standardError: program.standardError)
    }
  }

  @Test(
    "the documented commands: a dry run is the default and gives nothing; --apply gives each purchase once, and knows an imported file"
  )
  func program() async throws {
    try await Shop.running(3) { shop in
      let dry = try await shop.run(documented: 0)
      #expect(
        dry.status == 0 && dry.standardOutput.contains("3 would be given, 0 given before, 0 refused"), "\(dry.output)")
      #expect(dry.standardOutput.contains("nothing was written"))
      #expect(try await shop.balance == 0)
      let applied = try await shop.run(documented: 1)
      #expect(applied.status == 0 && applied.standardOutput.contains("3 given, 0 given before"), "\(applied.output)")
      #expect(try await shop.balance == 15)
      let again = try await shop.run("--apply")
      #expect(again.status == 1 && again.standardError.contains("--restart"), "\(again.output)")
      let restarted = try await shop.run("--apply", "--restart", "--json")
      #expect(
        restarted.standardOutput.hasSuffix(
          "{\"applied\":true,\"given\":0,\"givenBefore\":3,\"refused\":0,\"rows\":3}\n"), "\(restarted.output)")
      #expect(restarted.standardOutput.split(separator: "\n").count == 4)
      #expect(try await shop.balance == 15)
    }
  }

  @Test("an import that ends early, or whose answer is lost, goes on with the file's next row")
  func resumed() async throws {
    try await Shop.running(5) { shop in
      let (output, notes) = (LockedValue(""), LockedValue(""))
      let console = CommandConsole(
        readInput: { _ in Data() }, write: { text in output.withLock { $0 += text } },
        note: { text in notes.withLock { $0 += text + "\n" } })
      func run(answers: Int) throws -> ImportRun {
        let client = OperatorAPIClient(
          address: try #require(URL(string: shop.address)), key: shop.key, transport: LosingTransport(answers: answers))
        return ImportRun(
          client: client, app: CoinStore.app, applies: true, reason: nil, perSecond: 2, isJSON: false, console: console,
          clock: ScriptedClock(sleep: { _ in }))
      }
      let file = try ImportFile(shop.folder.path("purchases.csv"))
      // The answers are those about the progress and the first page. The server receives the second page.
      do {
        try await run(answers: 2).run(file, restarts: false)
        Issue.record("it has ended")
      } catch let failure as CommandFailure {
        #expect(failure.message.contains("the same command goes on there"), "\(failure.message)")
      }
      #expect(try await shop.balance == 20)
      try await run(answers: .max).run(try ImportFile(shop.folder.path("purchases.csv")), restarts: false)
      #expect(notes.value.contains("The import goes on with row 6."), "\(notes.value)")
      #expect(output.value.hasPrefix("1 rows. Purchases: 1 given, 0 given before, 0 refused."), "\(output.value)")
      #expect(try await shop.balance == 25)
    }
  }

  @Test("an import ends at once, with the reason, if the store rejects the server's configuration")
  func misconfigured() async throws {
    let folder = try ScratchFolder()
    try folder.write("purchases.csv", "subject,transactionId\nada,1\n")
    let transport = RefusingTransport()
    let console = CommandConsole(readInput: { _ in Data() }, write: { _ in }, note: { _ in })
    let run = ImportRun(
      client: OperatorAPIClient(
        address: try #require(URL(string: "http://localhost")), key: "operator_x", transport: transport),
      app: CoinStore.app, applies: false, reason: nil, perSecond: 10, isJSON: false, console: console,
      clock: ScriptedClock(sleep: { _ in }))
    do {
      try await run.run(try ImportFile(folder.path("purchases.csv")), restarts: false)
      Issue.record("it has ended")
    } catch let failure as CommandFailure {
      #expect(failure.message.contains("refuses to answer this server: 401"), "\(failure.message)")
    }
    #expect(transport.requests.value == 1)
  }

  @Test(
    "a dry run counts the customers whom the import would create, each once; an import does not",
    arguments: [true, false])
  func newCustomers(isJSON: Bool) async throws {
    let folder = try ScratchFolder()
    let subjects = ["ada", "ada", "ben", "cleo", "dora", "eve", "finn", "zo\u{E9}", "zoe\u{301}", "zoe\u{301}"]
    let rows = subjects.enumerated().map { "\($1),\($0 + 1)" }
    try folder.write("purchases.csv", (["subject,transactionId"] + rows).joined(separator: "\n"))
    let known = "6f9619ff-8b86-4011-b42d-00c04fc964ff"
    // Ada gets two purchases, Ben's is refunded. Cleo exists. Dora's is refused, and so is that of Eve and Finn: it is Ada's.
    // The server tells the two spellings of Zoé apart. The last row has the purchase of the other one.
    let answer = """
      {"results":[{"row":2,"result":"given","claim":"1","transactionId":"1"},
      {"row":3,"result":"given","claim":"2","transactionId":"2"},
      {"row":4,"result":"refused","transactionId":"3","code":"refunded"},
      {"row":5,"result":"given","customer":"\(known)","claim":"4","transactionId":"4"},
      {"row":6,"result":"refused","transactionId":"5","code":"unknownProduct"},
      {"row":7,"result":"given","claim":"1","transactionId":"1"},
      {"row":8,"result":"refused","column":"transactionId","code":"unreadableProof"},
      {"row":9,"result":"given","claim":"8","transactionId":"8"},
      {"row":10,"result":"given","claim":"9","transactionId":"9"},
      {"row":11,"result":"given","claim":"8","transactionId":"10"}],"nextRow":12}
      """
    for applies in [false, true] {
      let output = LockedValue("")
      let console = CommandConsole(
        readInput: { _ in Data() }, write: { text in output.withLock { $0 += text } }, note: { _ in })
      let run = ImportRun(
        client: OperatorAPIClient(
          address: try #require(URL(string: "http://localhost")), key: "operator_x",
          transport: AnsweringTransport(answer: answer)),
        app: CoinStore.app, applies: applies, reason: nil, perSecond: 10, isJSON: isJSON, console: console,
        clock: ScriptedClock(sleep: { _ in }))
      // An import that goes on asks for the progress first, which this transport does not answer.
      try await run.run(try ImportFile(folder.path("purchases.csv")), restarts: true)
      let count = isJSON ? #""newCustomers":4,"# : "Customers who would be new: 4.\n"
      #expect(output.value.contains(count) == !applies, "\(output.value)")
      #expect(output.value.localizedCaseInsensitiveContains("new") == !applies, "\(output.value)")
      #expect(output.value.contains(isJSON ? #""refused":5,"# : " 5 refused.") == !applies, "\(output.value)")
    }
  }

  @Test("a quotation mark that is not closed: the rows before it are imported, it is named, and the import fails")
  func unclosed() async throws {
    try await Shop.running(3) { shop in
      let file = shop.folder.url.appending(path: "purchases.csv")
      let whole = try String(contentsOf: file, encoding: .utf8)
      var rows = whole.split(separator: "\n").map(String.init)
      rows[2] = rows[2].replacing(",", with: ",\"")
      try rows.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
      for (arguments, balance) in [([], 0), (["--apply"], 5), (["--apply"], 5)] {
        let outcome = try await shop.run(arguments)
        #expect(
          outcome.status == 1 && outcome.standardOutput.contains("row 3: A quotation mark opens"), "\(outcome.output)")
        #expect(outcome.standardError.contains("Row 3 has a quotation mark that is not closed."), "\(outcome.output)")
        #expect(outcome.standardError.contains("all rows after it were not read"), "\(outcome.output)")
        #expect(!outcome.output.contains("The file is imported."), "\(outcome.output)")
        #expect(try await shop.balance == balance)
      }
      try whole.write(to: file, atomically: true, encoding: .utf8)
      let corrected = try await shop.run("--apply")
      #expect(
        corrected.status == 0 && corrected.standardOutput.contains("2 given, 1 given before"), "\(corrected.output)")
      #expect(try await shop.balance == 15)
    }
  }

  @Test("two rows of a dry run with one purchase for two customers: the second is reported")
  func conflict() async throws {
    try await Shop.running(1) { shop in
      let proof = try String(contentsOf: shop.folder.url.appending(path: "purchases.csv"), encoding: .utf8)
        .split(separator: "\n")[1].split(separator: ",")[1]
      let installation = try await SystemTransport(timeoutSeconds: 60).reply(
        to: HTTPCall(
          "POST", try #require(URL(string: "\(shop.address)/v1/apps/\(CoinStore.app)/installations")),
          fields: ["Content-Type": "application/json"], body: Data("{}".utf8)))
      let other = try #require(
        (try JSONSerialization.jsonObject(with: installation.body) as? [String: Any])?["customer"] as? String)
      try shop.folder.write(
        "purchases.csv",
        "customer,signedTransaction\n\(shop.customer),\(proof)\n\(other),\(proof)\n\(shop.customer),\(proof)\n")
      let dry = try await shop.run("--per-second", "1000")
      #expect(dry.standardOutput.contains("row 3, "), "\(dry.output)")
      #expect(dry.standardOutput.contains("Row 2 has the purchase for another customer"), "\(dry.output)")
      #expect(dry.standardOutput.contains("1 would be given, 1 given before, 1 refused"), "\(dry.output)")
    }
  }

  @Test("without a key, with a wrong key, or with a file that is missing, the error says what to do")
  func refused() async throws {
    let outcome = try await RunningStore.run(["server", "import", "none.csv", "--app", "a"])
    #expect(outcome.status == 2 && outcome.messages.contains("OPENSTOREKIT_OPERATOR_KEY"), "\(outcome.messages)")
    for arguments in [["--per-second", "0"], ["--server", "x"], ["--apply", "--dry-run"]] {
      let wrong = try await RunningStore.run(["server", "import", "none.csv", "--app", "a"] + arguments)
      #expect(wrong.status == 2, "\(arguments)")
    }
  }
}

/// Sends requests, and loses all answers after the first ones.
private final class LosingTransport: HTTPSender {
  private let left: LockedValue<Int>

  init(answers: Int) { left = LockedValue(answers) }

  func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
    let isLost = left.withLock { left in
      left -= 1
      return left < 0
    }
    let reply = try await SystemTransport(timeoutSeconds: 60).reply(to: call)
    guard !isLost else { throw HTTPFailure.noAnswer(reason: "it is lost") }
    try sink.begin(reply.head)
    try sink.take(reply.body)
  }
}

/// Answers each request with the same document.
private struct AnsweringTransport: HTTPSender {
  let answer: String

  func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
    try sink.begin(HTTPReplyHead(status: 200))
    try sink.take(Data(answer.utf8))
  }
}

/// Answers as a server whose key the store rejects.
private final class RefusingTransport: HTTPSender {
  let requests = LockedValue(0)

  func send(_ call: HTTPCall, to sink: any HTTPReplySink) async throws {
    requests.withLock { $0 += 1 }
    try sink.begin(HTTPReplyHead(status: 503))
    try sink.take(
      Data(#"{"error":{"code":"misconfigured","message":"The store refuses to answer this server: 401."}}"#.utf8))
  }
}
