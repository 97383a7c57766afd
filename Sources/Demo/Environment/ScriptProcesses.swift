import Foundation
import ProgramSupport
import StoreModel

/// The processes that the script has started. They are ended together. After that, no other process can be started.
final class ScriptProcesses: Sendable {
  private struct State: Sendable {
    var processes: [ChildProcess] = []
    var isOver = false
  }

  private let state = LockedValue(State())

  /// Starts a process.
  ///
  /// - Throws: ``DemoFailure`` if the script is ending; the system's error if the process cannot be started.
  func start(_ arguments: [String], environment: [String: String] = [:]) throws -> ChildProcess {
    try state.withLock { state in
      try Self.check(state)
      let process = try ChildProcess(arguments, environment: environment)
      // Processes that have ended need not be killed.
      state.processes.removeAll { !$0.isRunning }
      state.processes.append(process)
      return process
    }
  }

  /// Runs work that must not run once the script is ending, such as writing files into the folder that is removed then.
  ///
  /// - Throws: ``DemoFailure`` if the script is ending.
  func whileOpen<Value: Sendable>(_ work: () throws -> Value) throws -> Value {
    try state.withLock { state in
      try Self.check(state)
      return try work()
    }
  }

  private static func check(_ state: State) throws {
    if state.isOver { throw DemoFailure("The demo is ending.") }
  }

  /// Kills all processes, and returns when they have ended.
  func end() async {
    let processes = state.withLock { state in
      state.isOver = true
      return state.processes
    }
    await withTaskGroup(of: Void.self) { group in
      for process in processes { group.addTask { await process.kill() } }
    }
  }
}
