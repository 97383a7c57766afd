import ArgumentParser
import Foundation
import ProgramSupport
import PurchaseServer

extension ServerCommand {
  /// `openstorekit server`
  struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "run", abstract: "Runs the server (the default).")

    @OptionGroup var options: ServerOptions

    @Option(help: "Where to listen, instead of what the configuration says; 0 for a free port.")
    var port: Int?

    @Option(help: "The address to bind to, instead of what the configuration says.")
    var host: String?

    @Flag(help: ArgumentHelp("End when standard input ends: for a program that runs it.", visibility: .hidden))
    var endWithInput = false

    /// How long requests that were accepted may take when the server is told to stop.
    private static let graceSeconds = 30

    func run() async throws {
      let configuration = try options.configuration(host: host, port: port)
      let logger = configuration.logger()
      let server = try await configuration.assembled(logger)
      OpenFileLimit.raise()
      if endWithInput { Listening.endWithInput() }
      let listener = server.service.application { port in
        Listening.sayReady(host: configuration.service.host, port: port)
      }
      do {
        try await Listening.run(
          [listener] + server.companions,
          graceSeconds: Self.graceSeconds + configuration.service.limits.drainSeconds,
          ports: [configuration.service.port],
          logger: logger)
      } catch {
        try await server.close()
        throw error
      }
      try await server.close()
    }
  }
}

/// How many files and connections this process may have open.
enum OpenFileLimit {
  /// As many as the system allows; what it gives at first (often 1,024) is for programs that use `select`.
  static func raise() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max else {
      return
    }
    limit.rlim_cur = limit.rlim_max
    // Where it is refused, connections wait that could have been taken.
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
