import Foundation
import PrivatePostgreSQL
import SharedFixtures
import Testing

/// Runs the commands of Documentation/running-the-server.md and of the systemd unit, as they are written there.
@Suite("openstorekit server: the documented commands", .timeLimit(.minutes(30)))
struct OperatorKeyTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// Runs a line of a shell in a folder, with `openstorekit` in its path.
  private static func shell(
    _ line: String, in folder: ScratchFolder, _ variables: [String: String] = [:]
  ) async throws -> Outcome {
    let programs = try Program.executable().deletingLastPathComponent().path
    let program = try Program(
      arguments: ["-c", line],
      environment: variables.merging(["PATH": "\(programs):/usr/bin:/bin", "NO_PROXY": "*"]) { $1 }, executable: "sh",
      in: folder.url)
    let (output, status) = try await program.finish()
    return Outcome(status: status, standardOutput: output, standardError: program.standardError)
  }

  private struct Outcome {
    let status: Int32
    let standardOutput: String
    let standardError: String

    var output: String { standardOutput + standardError }
  }

  /// The commands in the first block of the page, without their explanations.
  private static func commands() throws -> [String] {
    let block = try #require(
      try text("Documentation/running-the-server.md").split(separator: "```sh\n").dropFirst().first?.split(
        separator: "```\n"
      ).first)
    return block.split(separator: "\n").map { line in
      String(line[..<(line.firstRange(of: "  ")?.lowerBound ?? line.endIndex)])
    }
  }

  @Test(
    "the commands work in their order; beside the running server, the error of operator-key has a curl line that works")
  func documented() async throws {
    let folder = try ScratchFolder()
    _ = try folder.write(
      "server.json",
      """
      {"trust": {"apple": true}, "listen": {"port": 0},
       "apps": [{"bundleId": "com.example.reader", "verification": "both"}]}
      """)
    let commands = try Self.commands()
    #expect(commands.count == 4 && commands.last == "openstorekit server --config server.json")
    var outcomes: [Outcome] = []
    for command in commands.dropLast() {
      let outcome = try await Self.shell(command, in: folder)
      #expect(outcome.status == 0, "\(command): \(outcome.output)")
      outcomes.append(outcome)
    }
    let key = outcomes[1].standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(key.hasPrefix("operator_"))

    let server = try Program(arguments: ["server", "--config", "server.json"], in: folder.url)
    let port = try #require((await server.output(until: "\n")).split(separator: ":").last)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let beside = try await Self.shell(
      "openstorekit server operator-key --config server.json \"Otto's \\\"key\\\"\"", in: folder)
    #expect(beside.status == 1 && beside.standardError.contains("in use by another process ("))
    let curl = try #require(
      beside.standardError.split(separator: "\n").map(String.init).first { $0.contains("curl -X POST") })
    let made = try await Self.shell(curl.replacing(":PORT/", with: ":\(port)/"), in: folder, ["KEY": key])
    #expect(made.standardOutput.contains(#""token":"operator_"#), "\(made.output)")
    #expect(made.standardOutput.contains(#"Otto's \"key\""#), "\(made.output)")

    let page = try Self.text("Documentation/running-the-server.md")
    let requests = page.split(separator: "\n").filter { $0.hasPrefix("curl ") }
    #expect(requests.count >= 4)
    for line in requests {
      let request = line.replacing("https://purchases.example", with: "http://127.0.0.1:\(port)")
      let outcome = try await Self.shell("\(request) -sS -w ' %{http_code}'", in: folder, ["KEY": key])
      // The customers, products, purchases and notifications of the examples do not exist here.
      let names = ["/reverify", "/replay"].contains { line.contains($0) }
      let expected = names ? " 404" : line.contains("-X POST") ? " 201" : " 200"
      #expect(outcome.standardOutput.hasSuffix(expected), "\(line): \(outcome.output)")
    }
    server.terminate()
    #expect(try await server.finish().status == 0)
  }

  @Test("the unit's command for the first key sets the link keys, which a ledger in PostgreSQL needs")
  func unit() async throws {
    let unit = try Self.text("Deployment/openstorekit-server.service")
    let comment = unit.split(separator: "\n").prefix { $0.hasPrefix("#") }.map { $0.dropFirst() }
    let begin = try #require(comment.firstIndex { $0.contains("systemd-run") })
    let command = comment[begin...].prefix { !$0.isEmpty }.joined(separator: "\n").replacing("\\\n", with: " ")
    let words = command.split(whereSeparator: \.isWhitespace).map(String.init)
    let folder = try ScratchFolder()
    func here(_ path: String) -> String { path.replacing("/etc/openstorekit", with: folder.url.path) }
    let credential = try #require(words.first { $0.hasPrefix("--property=LoadCredential=link-keys:") })
    let keyFile = here(String(credential.split(separator: ":")[1]))
    let name = try #require(words.first { $0.hasPrefix("--unit=") }).dropFirst("--unit=".count)
    let variables = words.filter { $0.hasPrefix("--setenv=") }.map { $0.dropFirst("--setenv=".count) }
    let environment = Dictionary(
      uniqueKeysWithValues: variables.map { variable in
        let parts = variable.split(separator: "=", maxSplits: 1).map(String.init)
        // Where systemd puts the credentials of a unit.
        return (parts[0], parts[1].replacing("/run/credentials/\(name).service/link-keys", with: keyFile))
      })
    try Data((Data(repeating: 7, count: 32).base64EncodedString() + "\n").utf8).write(to: URL(filePath: keyFile))
    let program = try #require(words.firstIndex { $0.hasSuffix("/openstorekit") })
    let line = (["openstorekit"] + words[(program + 1)...].map(here)).joined(separator: " ")

    try await PrivatePostgreSQL.shared.get().withDatabase { connection in
      _ = try folder.write(
        "server.json",
        """
        {"trust": {"apple": true}, "apps": [{"bundleId": "com.example.reader", "verification": "both"}],
         "database": {"postgresql": "\(connection)", "withoutFsync": true}}
        """)
      let without = try await Self.shell(line, in: folder)
      #expect(without.status == 2 && without.standardError.contains("linkKeys"), "\(without.output)")
      let outcome = try await Self.shell(line, in: folder, environment)
      #expect(outcome.status == 0 && outcome.standardOutput.hasPrefix("operator_"), "\(outcome.output)")
    }
  }
}
