import Foundation
import Logging
import NIOCore
import ServiceLifecycle

/// What commands that listen have in common.
package enum Listening {
  /// Tells whoever waits for it that connections are accepted.
  package static func sayReady(host: String, port: Int) {
    writeLine("ready http://\(host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host):\(port)")
  }

  /// Ends the command when standard input ends: for a program that runs it.
  package static func endWithInput() {
    // A thread of its own, because reading blocks.
    Thread.detachNewThread {
      while readLine() != nil {}
      kill(getpid(), SIGTERM)
    }
  }

  /// Runs until Ctrl-C or SIGTERM, or until the terminal is closed.
  ///
  /// - Parameters:
  ///   - graceSeconds: how long what is under way may take to come to its end then.
  ///   - ports: those that are listened on, for the message when one is taken.
  package static func run(
    _ services: [any Service], graceSeconds: Int, ports: [Int], logger: Logger
  ) async throws {
    var configuration = ServiceGroupConfiguration(
      services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    if ClosedTerminal.endsThisProgram { configuration.gracefulShutdownSignals.append(.sighup) }
    configuration.maximumGracefulShutdownDuration = .seconds(graceSeconds)
    do {
      try await ServiceGroup(configuration: configuration).run()
    } catch let error as IOError where error.errnoCode == EADDRINUSE {
      let ports = ports.filter { $0 != 0 }.map(String.init)
      throw CommandFailure.refused(
        "Port \(ports.joined(separator: " or ")) is in use. Choose another, or let the system choose with 0.")
    }
  }
}
