import ArgumentParser

/// A command that says all it has to say on a console.
protocol ConsoleCommand: AsyncParsableCommand {
  /// - Throws: ``CommandFailure`` or `ExitCode`; what is to be shown has been written by then.
  func run(on console: CommandConsole) async throws
}

extension ConsoleCommand {
  func run() async throws { try await run(on: .standard) }
}
