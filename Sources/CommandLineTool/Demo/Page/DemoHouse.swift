import Foundation
import PurchaseKit
import SampleApp
import SampleModel

/// What the demo's page is about: a store, a purchase server and two devices, each a process that is started again when it ends by
/// itself, and a folder that goes with the demo.
final class DemoHouse: @unchecked Sendable {
  static let devices = ["phone", "tablet"]

  let board = DemoBoard(tour: TourStation.all(first: devices[0], second: devices[1]))
  let folder = DemoFolder()
  private let lock = NSLock()
  private var programs: [SupervisedProgram] = []
  private var line: ServerLine?
  private var listening: [Task<Void, Never>] = []
  private var addresses: [String: URL] = [:]

  /// Starts everything.
  ///
  /// - Parameters:
  ///   - origin: of the page that shows it in frames.
  ///   - seed: what every identifier of the store follows from; nil for chance.
  func open(for origin: String, seed: UInt64?) async throws {
    try folder.make()
    try folder.store.prepare()
    let store = try await start("store") { [files = folder.store] port in
      files.arguments(port: port, seed: seed, framedBy: origin)
    }
    let server = try await openServer(store: store)
    for device in Self.devices {
      let (data, documents) = (folder.url.appending(path: device).path, folder.url.appending(path: "documents").path)
      let address = try await start(device) { port in
        [
          "device", "--end-with-input", "--name", device, "--port", String(port), "--data", data,
          "--documents", documents, "--store", store.absoluteString, "--server", server.absoluteString,
          "--framed-by", origin,
        ]
      }
      listen(to: StepFeed(address: address.appending(path: "steps"))) { [board] event in
        guard event.name == "step",
          let report = try? JSONDecoder().decode(StepReport.self, from: Data(event.data.utf8))
        else { return }
        board.hear(.step(device: device, report))
      }
    }
    let control = ControlDoor(address: store)
    listen(to: StepFeed(address: store.appending(path: "console/live"))) { [board] _ in
      await DemoHouse.look(into: control, board)
    }
  }

  var frames: DemoView.Frames {
    let addresses = lock.withLock { self.addresses }
    func address(_ name: String) -> String { addresses[name]?.absoluteString ?? "" }
    return DemoView.Frames(devices: Self.devices.map { ($0, address($0)) }, store: address("store"))
  }

  func start(_ name: String, _ arguments: @escaping @Sendable (Int) -> [String]) async throws -> URL {
    let program = SupervisedProgram(name, report: { [board] in board.note(name, $0) }, arguments: arguments)
    lock.withLock { programs.append(program) }
    let address = try await program.start()
    lock.withLock { addresses[name] = address }
    board.bell.ring()
    return address
  }

  /// Keeps a line until the demo ends.
  func keep(_ line: ServerLine) { lock.withLock { self.line = line } }

  private func listen(to feed: StepFeed, _ hear: @escaping @Sendable (EventStreamReader.Event) async -> Void) {
    let task = Task { await feed.listen(hear) }
    lock.withLock { listening.append(task) }
  }

  /// What the tour wants to know of the store's books.
  private static func look(into store: ControlDoor, _ board: DemoBoard) async {
    // The store may be just about to be started again; it tells of itself when it is back.
    guard let newest = try? await store.newestTransaction() as ControlDoor.Transaction??,
      let hasRefund = try? await store.hasRefund()
    else { return }
    if let newest { board.hear(.sold(quantity: newest.quantity)) }
    if hasRefund { board.hear(.refunded) }
  }

  /// Ends all of it. Again does nothing.
  func close() async {
    let (programs, line, listening) = lock.withLock {
      defer { (self.programs, self.line, self.listening) = ([], nil, []) }
      return (self.programs, self.line, self.listening)
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
    folder.remove()
  }
}
