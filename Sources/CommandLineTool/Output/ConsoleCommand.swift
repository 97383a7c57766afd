import ArgumentParser

/// A command that writes all its output to a console.
protocol ConsoleCommand: AsyncParsableCommand {
  /// - Throws: ``CommandFailure`` or `ExitCode`. The output has been written by then.
  func run(on console: CommandConsole) async throws
}

extension ConsoleCommand {
  func run() async throws { try await run(on: .standard) }
}
