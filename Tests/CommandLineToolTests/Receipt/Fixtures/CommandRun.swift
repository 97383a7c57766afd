import ArgumentParser
import Foundation
import ProgramSupport
import StoreModel

@testable import CommandLineTool

/// The result of a command that ran inside the test process.
struct CommandRun {
  let status: Int32
  /// Standard output.
  let output: String
  /// The text that the program would write to standard error.
  let message: String

  /// The document on standard output; nil unless there is exactly one.
  var json: [String: Any]? {
    (try? JSONSerialization.jsonObject(with: Data(output.utf8))) as? [String: Any]
  }

  /// The value of a row `label  value` in the text output.
  func row(_ label: String) -> String? {
    output.split(separator: "\n").first { $0.hasPrefix(label + "  ") }
      .map { $0.dropFirst(label.count).trimmingCharacters(in: .whitespaces) }
  }

  static func verify(_ arguments: String..., input: Data = Data()) async throws -> CommandRun {
    let command = try ReceiptCommand.Verify.parse(arguments)
    return try await run(input) { try await command.run(on: $0) }
  }

  static func inspect(_ arguments: String..., input: Data = Data()) async throws -> CommandRun {
    let command = try ReceiptCommand.Inspect.parse(arguments)
    return try await run(input) { try await command.run(on: $0) }
  }

  static func check(_ arguments: [String]) async throws -> CommandRun {
    let command = try CatalogCommand.Check.parse(arguments)
    return try await run(Data()) { try await command.run(on: $0) }
  }

  private static func run(_ input: Data, _ body: (CommandConsole) async throws -> Void) async throws -> CommandRun {
    let written = WrittenText()
    let console = CommandConsole(readInput: { input.prefix($0) }, write: { written.append($0) })
    do {
      try await body(console)
      return CommandRun(status: 0, output: written.text, message: "")
    } catch let failure as CommandFailure {
      return CommandRun(status: failure.status, output: written.text, message: failure.message)
    } catch let code as ExitCode {
      return CommandRun(status: code.rawValue, output: written.text, message: "")
    }
  }
}

/// Collects the output of a command.
private final class WrittenText: Sendable {
  private let pieces = LockedValue("")

  var text: String { pieces.value }
  func append(_ piece: String) { pieces.withLock { $0 += piece } }
}
