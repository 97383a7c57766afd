import Foundation
import StoreModel

/// The environment of one run: a folder with a disk for each role, the processes, and their output.
///
/// Only one task uses it.
final class RunEnvironment {
  private enum Event: Sendable {
    case output(ProcessRole, launch: Int, PowerCutProcess.Output)
    case timeout
  }

  private struct Launch {
    let process: PowerCutProcess
    let number: Int
    var isQuitting = false
  }

  let folder: URL
  /// A loopback address that no other run uses, so that a port is free again when its process has ended.
  let loopbackAddress: String
  private var powerCuts: [ProcessRole: [PowerCutSettings]]
  private var running: [ProcessRole: Launch] = [:]
  private var launches: [ProcessRole: Int] = [:]
  private var traces: [ProcessRole: [URL]] = [:]
  private var unsynced: [ProcessRole: URL] = [:]
  /// The launch and the number of commit points of each process when a phase began.
  private var phases: [(name: String, beginnings: [ProcessRole: (launch: Int, commitPoints: Int)])] = []
  private var lastLine = "nothing"
  /// The number of times that a process ended without a request.
  private(set) var interruptions = 0
  private let events: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation
  private let watchdog: Task<Void, Never>

  /// - Parameters:
  ///   - folder: a folder for this run only.
  ///   - powerCuts: the power cut of each launch of a process, in order. Later launches are undisturbed.
  init(folder: URL, powerCuts: [ProcessRole: [PowerCutSettings]]) throws {
    self.folder = folder
    self.powerCuts = powerCuts
    loopbackAddress = Self.addresses.next()
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    (self.events, self.continuation) = (events, continuation)
    // A run takes a fraction of a second. The watchdog ends a run that would never end.
    watchdog = Task {
      do {
        try await ContinuousClock().sleep(for: .seconds(30))
        continuation.yield(.timeout)
      } catch {
        // The run is over.
      }
    }
    for role in ProcessRole.allCases {
      try FileManager.default.createDirectory(at: disk(of: role), withIntermediateDirectories: true)
    }
  }

  deinit {
    watchdog.cancel()
    for launch in running.values { launch.process.cutPower() }
  }

  /// The folder of a process's files. A power cut loses the changes that the process has not synced.
  func disk(of role: ProcessRole) -> URL { folder.appending(path: role.rawValue) }

  func isRunning(_ role: ProcessRole) -> Bool { running[role] != nil }

  /// Starts a process, whose power is cut according to `powerCuts`.
  func launch(_ role: ProcessRole, _ program: String, _ arguments: [String], variables: [String: String] = [:]) throws {
    let number = launches[role, default: 0] + 1
    launches[role] = number
    let powerCut = powerCuts[role]?.isEmpty == false ? powerCuts[role]?.removeFirst() : nil
    let trace = folder.appending(path: "\(role)-\(number).trace")
    var variables = variables.merging((powerCut ?? .undisturbed).variables) { $1 }
    variables["POWERCUT_FOLDER"] = disk(of: role).path
    variables["POWERCUT_TRACE"] = trace.path
    variables["POWERCUT_UNSYNCED"] = unsynced[role]?.path
    traces[role, default: []].append(trace)
    unsynced[role] = trace.appendingPathExtension("unsynced")
    let continuation = continuation
    let process = try PowerCutProcess(
      program, arguments, variables: variables, errors: folder.appending(path: "\(role)-\(number).errors")
    ) { continuation.yield(.output(role, launch: number, $0)) }
    running[role] = Launch(process: process, number: number)
  }

  func send(_ line: String, to role: ProcessRole) { running[role]?.process.write(line) }

  /// Returns the next line of output.
  ///
  /// - Throws: ``ProcessEnded`` if a process has ended; ``RunTimeout`` after 30 seconds.
  func nextLine() async throws -> (ProcessRole, String) {
    for await event in events {
      guard case .output(let role, let launch, let output) = event else {
        throw RunTimeout(lastLine: lastLine)
      }
      guard running[role]?.number == launch else { continue }
      switch output {
      case .line(let line):
        lastLine = "\(role): \(line)"
        return (role, line)
      case .ended(let end):
        let wasRequested = running[role]?.isQuitting == true
        running[role] = nil
        if end != .exit(0) { interruptions += 1 }
        throw ProcessEnded(role: role, end: end, wasRequested: wasRequested)
      }
    }
    throw CancellationError()
  }

  /// Ends a process by the end of its standard input, and waits for its end.
  func quit(_ role: ProcessRole) async throws {
    guard running[role] != nil else { return }
    running[role]?.isQuitting = true
    running[role]?.process.endInput()
    do {
      while true { _ = try await nextLine() }
    } catch let ended as ProcessEnded where ended.role == role && ended.end == .exit(0) {
      // The expected end.
    }
  }

  /// Cuts the power of all running processes, and waits for their end.
  func cutPower() async throws {
    for launch in running.values { launch.process.cutPower() }
    while !running.isEmpty {
      do {
        while true { _ = try await nextLine() }
      } catch is ProcessEnded {
        interruptions -= 1
      }
    }
  }

  /// Begins a named phase of the run. A sweep can select phases.
  func begin(_ phase: String) {
    let beginnings = launches.map { role, launch in
      (role, (launch: launch, commitPoints: traces[role]?.last.map { PowerTrace($0).commitPoints.count } ?? 0))
    }
    phases.append((phase, Dictionary(uniqueKeysWithValues: beginnings)))
  }

  /// The trace of each launch of a process.
  func traces(of role: ProcessRole) -> [PowerTrace] {
    (traces[role] ?? []).enumerated().map { index, file in
      var trace = PowerTrace(file)
      for number in trace.commitPoints.indices {
        trace.commitPoints[number].launch = index + 1
        trace.commitPoints[number].phase = phase(of: role, launch: index + 1, commitPoint: number + 1)
      }
      return trace
    }
  }

  private func phase(of role: ProcessRole, launch: Int, commitPoint: Int) -> String? {
    phases.last { $0.beginnings[role].map { $0 < (launch, commitPoint) } ?? true }?.name
  }

  /// 127.1.0.1 and up: all of 127.0.0.0/8 is the loopback network.
  private static let addresses = LoopbackAddresses()

  private final class LoopbackAddresses: Sendable {
    private let last = LockedValue(0)

    func next() -> String {
      let number = last.withLock { last in
        last += 1
        return last
      }
      return "127.\(1 + number / 60_000 % 200).\(number / 250 % 240).\(1 + number % 250)"
    }
  }
}
