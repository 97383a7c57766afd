import ArgumentParser
import Foundation
import ProgramSupport

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

extension ServerCommand {
  /// `openstorekit server check`: checks the configuration and changes nothing.
  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check", abstract: "Checks the configuration and lists its errors and warnings. Changes nothing.")

    @OptionGroup var options: ServerOptions

    func run() async throws {
      let configuration = try options.configuration()
      let apps = configuration.apps.map { "\($0.bundleID) (\($0.verification.rawValue))" }
      // An unreadable connection string causes no error here. The server reports it when it opens the ledger.
      let failover = (try? configuration.database.postgreSQL())?.failoverAdvice
      for warning in configuration.warnings + [failover].compactMap({ $0 }) {
        writeLine("Warning: \(warning)")
      }
      writeLine("The configuration is complete. Apps: \(apps.joined(separator: ", ")).")
    }
  }
}
