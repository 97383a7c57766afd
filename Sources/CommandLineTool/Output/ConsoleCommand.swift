import ArgumentParser

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
