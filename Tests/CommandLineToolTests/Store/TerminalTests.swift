import Foundation
import Testing

@testable import CommandLineTool

@Suite("Terminals and other outputs", .timeLimit(.minutes(30)))
struct TerminalTests {
  @Test(
    "colour is used only if the terminal supports it and no variable forbids it",
    arguments: [
      (["TERM": "xterm-256color"], true, true), (["TERM": "xterm", "NO_COLOR": ""], true, true),
      (["TERM": "xterm", "NO_COLOR": "1"], false, true), (["TERM": "dumb"], false, false), ([:], false, false),
    ] as [([String: String], Bool, Bool)])
  func environment(variables: [String: String], hasColor: Bool, canRewriteLines: Bool) {
    let terminal = Terminal(environment: variables, columns: 0)
    #expect(terminal.hasColor == hasColor)
    #expect(terminal.canRewriteLines == canRewriteLines)
    #expect(terminal.columns == 80)
  }

  @Test("a table that is too wide is truncated in some columns, to the width of the terminal")
  func cut() {
    let table = TextTable(
      columns: [
        .init(heading: "id"), .init(heading: "product", canBeCut: true), .init(heading: "state", style: { _ in .good }),
      ],
      rows: [["1", String(repeating: "猿", count: 30), "finished"], ["2", "short", "finished"]])
    let lines = table.lines(maximumColumns: 40)
    #expect(lines.map(\.terminalColumns).max() == 40)
    #expect(lines[1].contains("猿…") && lines[2].contains("short"))
    #expect(table.lines(maximumColumns: .max)[1].contains(String(repeating: "猿", count: 30)))
    #expect(table.lines(maximumColumns: 20).count == 6, "too narrow for columns")
    #expect(table.lines(maximumColumns: 40, hasColor: true)[2].hasSuffix("\u{1B}[32mfinished\u{1B}[0m"))
  }

  /// The output of the program on a terminal.
  private func written(_ arguments: [String], environment: [String: String]) async throws -> String {
    let program = try Program(
      arguments: ["-qefc", ([try Program.executable().path] + arguments).joined(separator: " "), "/dev/null"],
      environment: environment, executable: "/usr/bin/script")
    return try await program.finish().output
  }

  @Test("output has colour on a terminal, but not with NO_COLOR, TERM=dumb or a pipe")
  func colours() async throws {
    try await RunningStore.open { store in
      try await store.buy()
      let arguments = ["transactions", "list", "--store", store.address]
      let colored = try await written(arguments, environment: ["TERM": "xterm", "NO_COLOR": ""])
      #expect(colored.contains("\u{1B}[33munfinished\u{1B}[0m"), "\(colored)")
      for variables in [["TERM": "xterm", "NO_COLOR": "1"], ["TERM": "dumb", "NO_COLOR": ""]] {
        let plain = try await written(arguments, environment: variables)
        #expect(plain.contains("unfinished") && !plain.contains("\u{1B}"), "\(plain)")
      }
      let piped = try await Program(arguments: arguments, environment: ["TERM": "xterm", "NO_COLOR": ""]).finish()
      #expect(piped.output.contains("unfinished") && !piped.output.contains("\u{1B}"))
    }
  }

  @Test(
    "progress of long work is shown on standard error if it is a terminal, is erased at the end, and is not written elsewhere"
  )
  func progress() async throws {
    try await RunningStore.open { store in
      for _ in 0..<1_001 { try await store.buy() }
      let arguments = ["transactions", "list", "--all", "--json", "--store", store.address]
      let shown = try await written(arguments + [">/dev/null"], environment: ["TERM": "xterm"])
      #expect(shown == "\r\u{1B}[2K1000 of 1001 transactions…\r\u{1B}[2K")
      let piped = try Program(arguments: arguments, environment: ["TERM": "xterm"])
      let (output, status) = try await piped.finish()
      #expect(status == 0 && piped.standardError.isEmpty)
      #expect((JSONValue(parsing: output.utf8)?["total"]) == .number("1001"))
    }
  }
}
