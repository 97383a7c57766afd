import Foundation
import Hummingbird
import Logging
import ProgramSupport
import ServiceLifecycle

/// The demo in a browser: a store, a purchase server, two devices, and a page that shows them.
package struct DemoProgram {
  /// The port of the page; 0 for a free port.
  private let port: Int
  /// The seed of the store's identifiers; nil for a random one.
  private let seed: UInt64?

  package init(port: Int, seed: UInt64?) {
    self.port = port
    self.seed = seed
  }

  /// Starts all programs, and serves the page until Ctrl-C.
  ///
  /// - Throws: ``CommandFailure`` if the port is in use.
  package func run() async throws {
    let (ports, bound) = AsyncStream.makeStream(of: Int.self)
    let logger = Logger.standardError(label: "demo", level: .warning)
    let processes = DemoProcesses(logger: logger)
    let page = Application(
      router: DemoRoutes(
        pageState: processes.pageState, frames: { processes.frames }, operators: { processes.operators },
        play: { await processes.player.begin($0) }
      ).router,
      configuration: .init(address: .hostname("127.0.0.1", port: port), serverName: nil),
      onServerRunning: { bound.yield($0.localAddress?.port ?? 0) }, logger: logger)
    do {
      try await Listening.run(
        [page, DemoService(processes: processes, ports: ports, seed: seed)], graceSeconds: ShutdownSeconds.requests,
        ports: [port],
        logger: logger)
    } catch {
      await processes.close()
      throw error
    }
    await processes.close()
  }
}

/// Starts the demo's programs once its page has an address, and prints that address.
private struct DemoService: Service {
  let processes: DemoProcesses
  let ports: AsyncStream<Int>
  let seed: UInt64?

  func run() async throws {
    guard let port = await ports.cancelOnGracefulShutdown().first(where: { _ in true }) else { return }
    do {
      // A shutdown does not wait until all programs have started.
      try await cancelWhenGracefulShutdown {
        try await processes.open(for: ["127.0.0.1", "localhost"].map { "http://\($0):\(port)" }, seed: seed)
      }
    } catch _ where Task.isShuttingDownGracefully {
      return
    }
    // The shutdown may have begun while the last program started.
    guard !Task.isShuttingDownGracefully else { return }
    Listening.printReady(host: "127.0.0.1", port: port)
    writeError("Open this address in a browser. Ctrl-C ends the demo.\n")
    // Throws only if the task is cancelled, and then the service ends as well.
    try? await gracefulShutdown()
  }
}
