import ArgumentParser
import Foundation
import ProgramSupport

/// The streams of a command: standard input, output and error, or those of a test.
struct CommandConsole: Sendable {
  /// Reads standard input to its end, but at most the given number of bytes.
  let readInput: @Sendable (_ limitBytes: Int) throws -> Data
  /// Writes to standard output.
  let write: @Sendable (String) throws -> Void
  /// The terminal of standard output; nil if standard output is not a terminal.
  var terminal: Terminal?
  /// Writes a remark as a line of standard error.
  var note: @Sendable (String) -> Void = { _ in }
  /// Shows a progress text in place of the one before; an empty text removes it. Nil if standard error is not a
  /// suitable terminal.
  var showProgress: (@Sendable (String) -> Void)?

  /// The process's own standard input, output and error.
  static let standard = CommandConsole(
    readInput: { try FileHandle.standardInput.readAll(limitBytes: $0) },
    write: writeAnswer,
    terminal: Terminal.at(STDOUT_FILENO),
    note: { writeError("\($0)\n") },
    showProgress: progressLine)

  /// Shows a progress text by rewriting one line of standard error. Nil unless standard error is a terminal that can
  /// rewrite lines.
  private static var progressLine: (@Sendable (String) -> Void)? {
    guard Terminal.at(STDERR_FILENO)?.canRewriteLines == true else { return nil }
    return { writeError("\r\u{1B}[2K\($0)") }
  }

  /// Writes to standard output.
  ///
  /// - Throws: ``CommandFailure/refused(_:)`` if standard output is closed or full.
  private static func writeAnswer(_ text: String) throws {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    } catch {
      throw LostOutput.failure(LostOutput.description(error))
    }
  }

  func write(lines: [String]) throws {
    if !lines.isEmpty { try write(lines.joined(separator: "\n") + "\n") }
  }

  /// Returns the lines of a table, fitted to the width of the terminal. Without a terminal, each row is one line of any
  /// length.
  func lines(of table: TextTable) -> [String] {
    table.lines(maximumColumns: terminal?.columns ?? .max, hasColor: terminal?.hasColor == true)
  }

  /// Runs a command. With `isJSON`, a failure is printed as a JSON document as well: `{"error": …}`.
  ///
  /// - Throws: the error of `body`; with `isJSON`, `ExitCode` instead of a ``CommandFailure``.
  func answering(inJSON isJSON: Bool, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let failure as CommandFailure where isJSON {
      try write(JSONValue.object(["error": .string(failure.message)]).document)
      throw ExitCode(failure.status)
    }
  }
}

extension FileHandle {
  /// Reads to the end of the file or pipe, but at most `limitBytes`.
  func readAll(limitBytes: Int) throws -> Data {
    var data = Data()
    while data.count < limitBytes, let piece = try read(upToCount: min(limitBytes - data.count, 1 << 20)),
      !piece.isEmpty
    {
      data.append(piece)
    }
    return data
  }
}

/// A command that writes all its output to a console.
protocol ConsoleCommand: AsyncParsableCommand {
  /// Runs the command.
  ///
  /// - Throws: ``CommandFailure`` or `ExitCode`, after the output was written.
  func run(on console: CommandConsole) async throws
}

extension ConsoleCommand {
  func run() async throws { try await run(on: .standard) }
}
