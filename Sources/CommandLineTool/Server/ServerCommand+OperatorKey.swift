import ArgumentParser
import Foundation
import ProgramSupport
import PurchaseLedger
import PurchaseServer

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

    @Option(
      help: "What the key may do: read, support (also changes what customers have), or admin (also everything else).")
    var role = OperatorRole.admin

    func run() async throws {
      let configuration = try options.configuration()
      let server = try await configuration.assembled(configuration.logger(), ifInUse: advice(configuration))
      let key: CreatedOperatorKey
      do {
        key = try await server.ledger.createOperatorKey(name: name, role: role, by: .commandLine)
      } catch {
        try await server.close()
        throw CommandFailure.refused("\(error)")
      }
      try await server.close()
      writeLine(key.token.text)
    }

    /// Returns advice for the user if another process, such as the server, has the ledger open.
    private func advice(_ configuration: ServerConfiguration) throws -> String {
      let body = String(decoding: try JSONEncoder().encode(["name": name, "role": role.rawValue]), as: UTF8.self)
      return """
        If that is the server, it creates keys itself. With an operator's key in $KEY:
          curl -X POST -H "Authorization: Bearer $KEY" -d '\(body.replacing("'", with: #"'\''"#))' \(configuration.localAddress)/v1/operator/keys
        For the first key, stop the server and run this command again.
        """
    }
  }
}

extension OperatorRole: ExpressibleByArgument {}

extension ServerConfiguration {
  /// The server's address for programs on the same machine. `PORT` stands for a port that the system chooses.
  fileprivate var localAddress: String {
    let host = ["0.0.0.0", "::", "[::]"].contains(service.host) ? "127.0.0.1" : service.host
    let port = service.port == 0 ? "PORT" : String(service.port)
    return "http://\(host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host):\(port)"
  }
}
