import ArgumentParser

/// `openstorekit server`: runs and administers the purchase server of an app's developer.
struct ServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "server",
    abstract: "Runs the purchase server: it verifies purchases, keeps the ledger and delivers content.",
    discussion: """
      Prints 'ready http://HOST:PORT' when it accepts connections, and ends on SIGTERM, Ctrl-C or a closed terminal, after what is under way. \
      It is configured by a JSON file, by OPENSTOREKIT_SERVER_… in the environment, and by flags; \
      Documentation/running-the-server.md lists all of it. It logs to standard error.
      """,
    subcommands: [Run.self, Check.self, OperatorKey.self, Restored.self], defaultSubcommand: Run.self)
}
