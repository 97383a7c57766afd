import ArgumentParser
import Foundation

extension ServerCommand {
  /// `openstorekit server check`
  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check", abstract: "Reads the configuration and says what is wrong with it; changes nothing.")

    @OptionGroup var options: ServerOptions

    func run() async throws {
      let configuration = try options.configuration()
      let apps = configuration.apps.map { "\($0.bundleID) (\($0.verification.rawValue))" }
      for warning in configuration.warnings + [configuration.failoverAdvice].compactMap({ $0 }) {
        writeLine("Beware: \(warning)")
      }
      writeLine("The configuration is complete. Apps: \(apps.joined(separator: ", ")).")
    }
  }
}
