import Foundation

/// Where a journey is played once: a folder with a disk for each party, their processes, and what these say.
///
/// Used by one task.
final class Stage {
  private enum Event: Sendable {
    case output(Party, launch: Int, PartyProcess.Output)
    case stuck
  }

  private struct Launch {
    let process: PartyProcess
    let number: Int
    var isAskedToEnd = false
  }

  let folder: URL
  /// An address of this machine that no other stage uses, so that a port is free again when its owner has died.
  let loopbackAddress: String
  private var orders: [Party: [PowerCutOrder]]
  private var running: [Party: Launch] = [:]
  private var launches: [Party: Int] = [:]
  private var traces: [Party: [URL]] = [:]
  private var legacy: [Party: URL] = [:]
  /// How far each party had come when a scene began: launches, and commit points of the last of them.
  private var scenes: [(name: String, beginnings: [Party: (launch: Int, commitPoints: Int)])] = []
  private var lastLine = "nothing"
  /// How often a party ended that was not asked to.
  private(set) var interruptions = 0
  private let events: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation
  private let watchdog: Task<Void, Never>

  /// - Parameters:
  ///   - folder: of this play alone.
  ///   - orders: for each party's launches, in turn; what is launched later is undisturbed.
  init(folder: URL, orders: [Party: [PowerCutOrder]]) throws {
    self.folder = folder
    self.orders = orders
    loopbackAddress = Self.addresses.next()
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    (self.events, self.continuation) = (events, continuation)
    // A play takes a fraction of a second. This only ends what would otherwise hang for ever.
    watchdog = Task {
      do {
        try await ContinuousClock().sleep(for: .seconds(30))
        continuation.yield(.stuck)
      } catch {
        // The play is over.
      }
    }
    for party in Party.allCases {
      try FileManager.default.createDirectory(at: disk(of: party), withIntermediateDirectories: true)
    }
  }

  deinit {
    watchdog.cancel()
    for launch in running.values { launch.process.cutPower() }
  }

  /// The folder a party's files are in; what it had not synced is lost with its power.
  func disk(of party: Party) -> URL { folder.appending(path: party.rawValue) }

  func isRunning(_ party: Party) -> Bool { running[party] != nil }

  /// Starts a process. Its power is cut as the play's orders say.
  func launch(_ party: Party, _ program: String, _ arguments: [String], variables: [String: String] = [:]) throws {
    let number = launches[party, default: 0] + 1
    launches[party] = number
    let order = orders[party]?.isEmpty == false ? orders[party]?.removeFirst() : nil
    let trace = folder.appending(path: "\(party)-\(number).trace")
    var variables = variables.merging((order ?? .undisturbed).variables) { $1 }
    variables["POWERCUT_FOLDER"] = disk(of: party).path
    variables["POWERCUT_TRACE"] = trace.path
    variables["POWERCUT_INHERITS"] = legacy[party]?.path
    traces[party, default: []].append(trace)
    legacy[party] = trace.appendingPathExtension("left")
    let continuation = continuation
    let process = try PartyProcess(
      program, arguments, variables: variables, errors: folder.appending(path: "\(party)-\(number).errors")
    ) { continuation.yield(.output(party, launch: number, $0)) }
    running[party] = Launch(process: process, number: number)
  }

  func tell(_ party: Party, _ line: String) { running[party]?.process.write(line) }

  /// The next line that a party writes.
  ///
  /// - Throws: ``PartyEnded`` where one has ended instead, ``PlayStuck`` after a very long time.
  func nextLine() async throws -> (Party, String) {
    for await event in events {
      guard case .output(let party, let launch, let output) = event else {
        throw PlayStuck(lastLine: lastLine)
      }
      guard running[party]?.number == launch else { continue }
      switch output {
      case .line(let line):
        lastLine = "\(party): \(line)"
        return (party, line)
      case .ended(let end):
        let wasAsked = running[party]?.isAskedToEnd == true
        running[party] = nil
        if end != .exit(0) { interruptions += 1 }
        throw PartyEnded(party: party, end: end, wasAsked: wasAsked)
      }
    }
    throw CancellationError()
  }

  /// Ends a party as its system would, by the end of its standard input, and waits for it.
  func quit(_ party: Party) async throws {
    guard running[party] != nil else { return }
    running[party]?.isAskedToEnd = true
    running[party]?.process.endInput()
    do {
      while true { _ = try await nextLine() }
    } catch let ended as PartyEnded where ended.party == party && ended.end == .exit(0) {
      // So it should.
    }
  }

  /// Cuts the power of all that still run, and waits until they are gone.
  func cutPower() async throws {
    for launch in running.values { launch.process.cutPower() }
    while !running.isEmpty {
      do {
        while true { _ = try await nextLine() }
      } catch is PartyEnded {
        interruptions -= 1
      }
    }
  }

  /// Begins a part of the play that has a name, so that a sweep can be of some parts only.
  func begin(_ scene: String) {
    let beginnings = launches.map { party, launch in
      (party, (launch: launch, commitPoints: traces[party]?.last.map { PowerTrace($0).commitPoints.count } ?? 0))
    }
    scenes.append((scene, Dictionary(uniqueKeysWithValues: beginnings)))
  }

  /// What was seen in each launch of a party.
  func traces(of party: Party) -> [PowerTrace] {
    (traces[party] ?? []).enumerated().map { index, file in
      var trace = PowerTrace(file)
      for number in trace.commitPoints.indices {
        trace.commitPoints[number].launch = index + 1
        trace.commitPoints[number].scene = scene(of: party, launch: index + 1, commitPoint: number + 1)
      }
      return trace
    }
  }

  private func scene(of party: Party, launch: Int, commitPoint: Int) -> String? {
    scenes.last { $0.beginnings[party].map { $0 < (launch, commitPoint) } ?? true }?.name
  }

  /// 127.1.0.1 and up: the whole of 127/8 is this machine.
  private static let addresses = LoopbackAddresses()

  private final class LoopbackAddresses: @unchecked Sendable {
    private let lock = NSLock()
    private var last = 0

    func next() -> String {
      let number = lock.withLock {
        last += 1
        return last
      }
      return "127.\(1 + number / 60_000 % 200).\(number / 250 % 240).\(1 + number % 250)"
    }
  }
}
