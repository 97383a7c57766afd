import Foundation
import Logging
import ProgramSupport
import ServiceLifecycle
import StoreModel

/// The processes behind the demo's page: a store, a purchase server and two devices. A process that ends by itself is
/// started again. Their temporary folder is removed when the demo ends.
final class DemoProcesses: Sendable {
  /// The names of the devices.
  static let devices = ["phone", "tablet"]

  /// The state that the page shows.
  let pageState = DemoState(tour: TourStation.all(first: devices[0], second: devices[1]))
  let folder = TemporaryFolder("demo")
  let logger: Logger
  /// Plays the stations of the tour.
  let player: TourPlayer
  private let addresses: LockedValue<[String: URL]>
  private let state = LockedValue(State())

  private struct State: Sendable {
    var programs: [SupervisedProgram] = []
    var proxy: ServerProxy?
    var operators: OperatorsView.Access?
    var listening: [Task<Void, Never>] = []
  }

  /// - Parameter logger: logs errors that the page cannot show.
  init(logger: Logger) {
    self.logger = logger
    let addresses = LockedValue([String: URL]())
    self.addresses = addresses
    player = TourPlayer(state: pageState, logger: logger) { addresses.value[$0] }
  }

  /// Starts all processes.
  ///
  /// - Parameters:
  ///   - origins: the origins of the demo's page, one for each host name under which a browser can open it. The page
  ///     shows the programs in frames.
  ///   - seed: the seed of the store's identifiers; nil for a random one.
  func open(for origins: [String], seed: UInt64?) async throws {
    try folder.make()
    let files = StoreFiles(folder: folder.url.appending(path: "store"))
    try files.prepare()
    let (_, store) = try await start("store") { files.arguments(port: $0, seed: seed, framedBy: origins) }
    let server = try await openServer(store: store)
    for device in Self.devices {
      let (data, documents) = (folder.url.appending(path: device).path, folder.url.appending(path: "documents").path)
      let (program, address) = try await start(device) { port in
        [
          "device", "--end-with-input", "--name", device, "--port", String(port), "--data", data,
          "--documents", documents, "--store", store.absoluteString, "--server", server.absoluteString,
        ] + origins.flatMap { ["--framed-by", $0] }
      }
      listen(to: program, at: address)
    }
    listen(toStoreAt: store)
  }

  /// The addresses of the programs that the page shows in frames.
  var frames: DemoView.Frames {
    let addresses = addresses.value
    func address(_ name: String) -> String { addresses[name]?.absoluteString ?? "" }
    return DemoView.Frames(devices: Self.devices.map { ($0, address($0)) }, store: address("store"))
  }

  /// How the operator's pages are reached; nil until the purchase server has started.
  var operators: OperatorsView.Access? { state.withLock { $0.operators } }

  /// Stores how the operator's pages are reached.
  func keep(_ operators: OperatorsView.Access) { state.withLock { $0.operators = operators } }

  /// Starts a program, and keeps it running until the demo ends.
  ///
  /// - Parameter arguments: returns the arguments for a port; 0 for a free port.
  /// - Returns: the program and its address.
  /// - Throws: `CancellationError` if the demo is ending already.
  func start(
    _ name: String, _ arguments: @escaping @Sendable (Int) -> [String]
  ) async throws -> (program: SupervisedProgram, address: URL) {
    guard !Task.isShuttingDownGracefully else { throw CancellationError() }
    let program = SupervisedProgram(
      name, report: { [pageState] in pageState.note(name, $0) }, logger: logger, arguments: arguments)
    state.withLock { $0.programs.append(program) }
    let address = try await program.start()
    addresses.withLock { $0[name] = address }
    pageState.signal.notify()
    return (program, address)
  }

  /// Stores the proxy, so that ``close()`` can close it when the demo ends.
  func keep(_ proxy: ServerProxy) { state.withLock { $0.proxy = proxy } }

  /// Reads a stream of events until the demo ends.
  func listen(to feed: EventFeed, _ handle: @escaping @Sendable (EventStreamReader.Event) async -> Void) {
    let task = Task { await feed.listen(handle) }
    state.withLock { $0.listening.append(task) }
  }

  /// Ends all processes and removes the folder. Later calls do nothing.
  func close() async {
    let (programs, line, listening) = state.withLock { state in
      defer { (state.programs, state.proxy, state.listening) = ([], nil, []) }
      return (state.programs, state.proxy, state.listening)
    }
    await player.stop()
    for task in listening { task.cancel() }
    // The devices end first, because they would log errors if the store were gone.
    for isDevice in [true, false] {
      await withTaskGroup(of: Void.self) { group in
        for program in programs where Self.devices.contains(program.name) == isDevice {
          group.addTask { await program.end() }
        }
      }
    }
    line?.close()
    folder.remove(logger)
  }
}
