import ArgumentParser
import Foundation
import ProgramSupport
import PurchaseServer
import StoreModel

extension ServerCommand {
  /// `openstorekit server run`: runs the server. It is the default subcommand.
  struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "run", abstract: "Runs the server (the default).")

    @OptionGroup var options: ServerOptions

    @Option(help: "The port to listen on, instead of the configured one; 0 for a free port.")
    var port: Int?

    @Option(help: "The address to bind to, instead of the configured one.")
    var host: String?

    @Flag(help: ArgumentHelp("End when standard input ends: for a program that runs it.", visibility: .hidden))
    var endWithInput = false

    /// The time that accepted requests have to complete when the server stops.
    private static let graceSeconds = 30

    func run() async throws {
      let configuration = try options.configuration(host: host, port: port)
      let logger = configuration.logger()
      let server = try await configuration.assembled(logger)
      OpenFileLimit.raise()
      if endWithInput { Listening.endWithInput() }
      let listener = server.service.application { port in
        Listening.printReady(host: configuration.service.host, port: port)
      }
      let clock = SystemClock()
      let start = clock.nanoseconds
      func logEnd(_ reason: String) {
        logger.notice(
          "The server has stopped",
          metadata: [
            "reason": "\(reason)", "uptimeSeconds": .stringConvertible((clock.nanoseconds - start) / 1_000_000_000),
            "requests": .stringConvertible(server.service.answeredRequests),
          ])
      }
      let signal: String?
      do {
        signal = try await Listening.run(
          [listener] + server.companions,
          graceSeconds: Self.graceSeconds + configuration.service.limits.drainSeconds,
          ports: [configuration.service.port],
          logger: logger)
      } catch {
        logEnd("\(error)")
        try await server.close()
        throw error
      }
      try await server.close()
      logEnd(signal ?? "its services have ended")
    }
  }
}

/// The limit of files and connections that this process may have open.
enum OpenFileLimit {
  /// Raises the limit to the maximum. The initial limit (often 1,024) is meant for programs that use `select`.
  static func raise() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max else {
      return
    }
    limit.rlim_cur = limit.rlim_max
    // If the system refuses, the server still works, but accepts fewer connections at a time.
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
