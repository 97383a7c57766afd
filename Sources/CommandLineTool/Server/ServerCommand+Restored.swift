import ArgumentParser
import ProgramSupport
import PurchaseLedger

extension ServerCommand {
  /// `openstorekit server restored`: marks the ledger as restored, so that apps send the lost data again.
  struct Restored: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "restored",
      abstract: "Marks a ledger as restored, so that apps send their purchases and spends again.",
      discussion: """
        For a ledger that was restored from a copy of its files or a snapshot of its machine, and for a PostgreSQL \
        ledger whose rows were loaded into the tables that were there. One restored from a backup of \
        POST /v1/operator/backups, or by pg_restore into new tables, is marked already. Stop the server first.
        """)

    @OptionGroup var options: ServerOptions

    func run() async throws {
      let configuration = try options.configuration()
      let server = try await configuration.assembled(configuration.logger())
      let incarnation: LedgerIncarnation
      do {
        try await server.ledger.beginIncarnation(by: "command line")
        incarnation = try await server.ledger.incarnation()
      } catch {
        try await server.close()
        throw CommandFailure.refused("\(error)")
      }
      try await server.close()
      writeLine("incarnation \(incarnation)")
    }
  }
}
