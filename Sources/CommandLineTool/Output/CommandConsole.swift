import ArgumentParser
import Foundation
import ProgramSupport

/// What a command reads from and writes to, besides files: standard input and output, or a test's own.
struct CommandConsole: Sendable {
  /// Reads all of standard input, but at most the given number of bytes.
  let readInput: @Sendable (_ limitBytes: Int) throws -> Data
  /// Writes to standard output.
  let write: @Sendable (String) throws -> Void
  /// The terminal that is written to; nil where it is something else.
  var terminal: Terminal?
  /// Says something beside the answer: a line of standard error.
  var note: @Sendable (String) -> Void = { _ in }
  /// Shows how far long work has come, in place of what was shown before; with an empty text nothing. Nil where nobody watches.
  var showProgress: (@Sendable (String) -> Void)?

  /// The process's own standard input, output and error.
  static let standard = CommandConsole(
    readInput: { try FileHandle.standardInput.readAll(limitBytes: $0) },
    write: writeAnswer,
    terminal: Terminal.at(STDOUT_FILENO),
    note: { writeError("\($0)\n") },
    showProgress: progressLine)

  /// A line of standard error that is written over, where that is a terminal that can.
  private static var progressLine: (@Sendable (String) -> Void)? {
    guard Terminal.at(STDERR_FILENO)?.canRewriteLines == true else { return nil }
    return { writeError("\r\u{1B}[2K\($0)") }
  }

  /// - Throws: ``CommandFailure``, refused, where standard output is closed or full.
  private static func writeAnswer(_ text: String) throws {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    } catch {
      throw LostOutput.failure(LostOutput.words(error))
    }
  }

  func write(lines: [String]) throws {
    if !lines.isEmpty { try write(lines.joined(separator: "\n") + "\n") }
  }

  /// A table as wide as the terminal; elsewhere as wide as it is, a line for each row.
  func lines(of table: TextTable) -> [String] {
    table.lines(maximumColumns: terminal?.columns ?? .max, hasColor: terminal?.hasColor == true)
  }

  /// Runs a command so that a failure, too, is one JSON document where one was asked for: `{"error": …}`.
  ///
  /// - Throws: what `body` throws; with `isJSON`, the exit status in place of a ``CommandFailure``.
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
  /// Reads to the end, but at most `limitBytes`; a pipe that delivers in pieces is read until it ends.
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
