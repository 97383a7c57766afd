import ArgumentParser
import Foundation
import ProgramSupport
import PurchaseServer

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
    subcommands: [Run.self, Check.self, OperatorKey.self, Restored.self, Import.self], defaultSubcommand: Run.self)
}

extension ServerCommand {
  /// `openstorekit server check`: checks the configuration, tries the keys of the App Store Server API, and changes nothing.
  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check", abstract: "Checks the configuration and lists its errors and warnings. Changes nothing.",
      discussion: """
        It tries each key of the App Store Server API with a call about a transaction that does not exist. If the store refuses a \
        key in all environments of its app, the exit status is 1.
        """)

    @OptionGroup var options: ServerOptions

    func run() async throws {
      let configuration = try options.configuration()
      let apps = configuration.apps.map { "\($0.bundleID) (\($0.verification.rawValue))" }
      // An unreadable connection string causes no error here. The server reports it when it opens the ledger.
      let failover = (try? configuration.database.postgreSQL())?.failoverAdvice
      for warning in configuration.warnings + [failover].compactMap({ $0 }) {
        writeLine("Warning: \(warning)")
      }
      try await Self.tryKeys(of: configuration)
      writeLine("The configuration is complete. Apps: \(apps.joined(separator: ", ")).")
    }

    private static func tryKeys(of configuration: ServerConfiguration) async throws {
      let trials: [ServerAPITrial]
      do {
        trials = try await ServerAPITrial.all(of: configuration)
      } catch {
        // The configuration may be complete nevertheless: the emulator need not run yet.
        writeLine("Warning: \(error)")
        return
      }
      for trial in trials { writeLine(trial.outcome == .accepted ? "\(trial)" : "Warning: \(trial)") }
      for (app, trials) in Dictionary(grouping: trials, by: \.app).sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        let isRefused = trials.allSatisfy { if case .refused = $0.outcome { true } else { false } }
        if isRefused { throw CommandFailure.refused("The App Store Server API does not accept the key of \(app).") }
      }
    }
  }
}
