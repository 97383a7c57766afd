import Foundation
import Logging
import ProgramSupport
import ServiceLifecycle
import StoreModel

/// What the demo's page is about: a store, a purchase server and two devices, each a process that is started again when it ends by
/// itself, and a folder that goes with the demo.
final class DemoProcesses: Sendable {
  /// What the devices are called.
  static let devices = ["phone", "tablet"]

  /// What has happened, for the page.
  let board = DemoState(tour: TourStation.all(first: devices[0], second: devices[1]))
  let folder = TemporaryFolder("demo")
  let logger: Logger
  private let state = LockedValue(State())

  private struct State: Sendable {
    var programs: [SupervisedProgram] = []
    var line: ServerNetwork?
    var listening: [Task<Void, Never>] = []
    var addresses: [String: URL] = [:]
  }

  /// - Parameter logger: is told what is not as it should be, and cannot be shown on the page.
  init(logger: Logger) { self.logger = logger }

  /// Starts everything.
  ///
  /// - Parameters:
  ///   - origins: of the page that shows it in frames, under each name that it may be opened by.
  ///   - seed: what every identifier of the store follows from; nil for chance.
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

  /// Where the page finds what it shows in frames.
  var frames: DemoView.Frames {
    let addresses = state.withLock { $0.addresses }
    func address(_ name: String) -> String { addresses[name]?.absoluteString ?? "" }
    return DemoView.Frames(devices: Self.devices.map { ($0, address($0)) }, store: address("store"))
  }

  /// Starts a program, and keeps it running until the demo ends.
  ///
  /// - Parameter arguments: for a port; 0 for any.
  /// - Returns: it, and where it serves.
  /// - Throws: `CancellationError` where the demo is to end already.
  func start(
    _ name: String, _ arguments: @escaping @Sendable (Int) -> [String]
  ) async throws -> (program: SupervisedProgram, address: URL) {
    guard !Task.isShuttingDownGracefully else { throw CancellationError() }
    let program = SupervisedProgram(
      name, report: { [board] in board.note(name, $0) }, logger: logger, arguments: arguments)
    state.withLock { $0.programs.append(program) }
    let address = try await program.start()
    state.withLock { $0.addresses[name] = address }
    board.bell.ring()
    return (program, address)
  }

  /// Keeps a line until the demo ends.
  func keep(_ line: ServerNetwork) { state.withLock { $0.line = line } }

  /// Listens until the demo ends.
  func listen(to feed: EventFeed, _ hear: @escaping @Sendable (EventStreamReader.Event) async -> Void) {
    let task = Task { await feed.listen(hear) }
    state.withLock { $0.listening.append(task) }
  }

  /// Ends all of it. Again does nothing.
  func close() async {
    let (programs, line, listening) = state.withLock { state in
      defer { (state.programs, state.line, state.listening) = ([], nil, []) }
      return (state.programs, state.line, state.listening)
    }
    for task in listening { task.cancel() }
    // The devices first: they would complain of a store that has gone.
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
