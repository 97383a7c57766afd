import Foundation
import ProgramSupport
import StoreModel

/// The processes that a stage has started. They end together, and after that no other is started.
final class StageProcesses: Sendable {
  private struct State: Sendable {
    var processes: [ChildProcess] = []
    var isOver = false
  }

  private let state = LockedValue(State())

  /// Starts one.
  ///
  /// - Throws: ``DemoFailure`` once they are being ended; why it cannot be started.
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

  /// Does what must not happen once the processes are being ended, such as writing what is removed with them.
  ///
  /// - Throws: ``DemoFailure`` if they are.
  func whileOpen<Value: Sendable>(_ work: () throws -> Value) throws -> Value {
    try state.withLock { state in
      try Self.check(state)
      return try work()
    }
  }

  private static func check(_ state: State) throws {
    if state.isOver { throw DemoFailure("The demo is ending.") }
  }

  /// Kills all of them. Returns when they are gone.
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
