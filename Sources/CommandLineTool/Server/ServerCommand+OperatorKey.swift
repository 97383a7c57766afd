import ArgumentParser
import ProgramSupport
import PurchaseLedger

extension ServerCommand {
  /// `openstorekit server operator-key NAME`: makes a key for an operator and prints it.
  struct OperatorKey: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "operator-key",
      abstract: "Creates an operator's key and prints it. It is not shown again.",
      discussion: """
        Use it for the first key, or after all keys were lost. Create other keys over HTTP. A ledger in SQLite has one owner: stop \
        the server first.
        """)

    @OptionGroup var options: ServerOptions

    @Argument(help: "The name of the key's holder in the audit log.")
    var name: String

    func run() async throws {
      let configuration = try options.configuration()
      let server = try await configuration.assembled(configuration.logger())
      let key: CreatedOperatorKey
      do {
        key = try await server.ledger.createOperatorKey(name: name, by: "command line")
      } catch {
        try await server.close()
        throw CommandFailure.refused("\(error)")
      }
      try await server.close()
      writeLine(key.token.text)
    }
  }
}
