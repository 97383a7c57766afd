import ArgumentParser
import Foundation
import ProgramSupport

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
