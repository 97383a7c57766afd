import Foundation
import Logging
import NIOCore
import ServiceLifecycle

/// Functions for commands that accept connections.
package enum Listening {
  /// Prints the line `ready URL`, which reports to the calling program that connections are accepted.
  package static func printReady(host: String, port: Int) {
    writeLine("ready http://\(host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host):\(port)")
  }

  /// Ends this program when its standard input ends. Used if another program runs this program.
  package static func endWithInput() {
    // A separate thread, because reading blocks.
    Thread.detachNewThread {
      while readLine() != nil {}
      kill(getpid(), SIGTERM)
    }
  }

  /// Runs services until Ctrl-C or SIGTERM, or until the terminal is closed.
  ///
  /// - Parameters:
  ///   - graceSeconds: after the end was requested, the time limit for requests in progress, in seconds.
  ///   - ports: the ports that the services use, for the error message if one is in use.
  /// - Returns: the name of the signal that ended the services, such as `SIGTERM`; nil if they ended without one.
  @discardableResult
  package static func run(
    _ services: [any Service], graceSeconds: Int, ports: [Int], logger: Logger
  ) async throws -> String? {
    var configuration = ServiceGroupConfiguration(
      services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    var ending = [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")]
    // If this program was started with SIGHUP ignored, it must continue to ignore SIGHUP. As a shutdown signal, SIGHUP
    // would end the program.
    if ClosedTerminal.endsThisProgram {
      configuration.gracefulShutdownSignals.append(.sighup)
      ending.append((SIGHUP, "SIGHUP"))
    }
    configuration.maximumGracefulShutdownDuration = .seconds(graceSeconds)
    let signals = EndingSignals(ending)
    do {
      try await ServiceGroup(configuration: configuration).run()
      return signals.received
    } catch let error as IOError where error.errnoCode == EADDRINUSE {
      let ports = ports.filter { $0 != 0 }.map(String.init)
      throw CommandFailure.refused(
        "Port \(ports.joined(separator: " or ")) is in use. Choose another, or let the system choose with 0.")
    }
  }
}
