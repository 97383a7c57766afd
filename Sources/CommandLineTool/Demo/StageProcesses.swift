import Foundation

/// The processes that a stage has started. They end together, and after that no other is started.
final class StageProcesses: @unchecked Sendable {
  private let lock = NSLock()
  private var processes: [ChildProcess] = []
  private var isOver = false

  /// Starts one.
  ///
  /// - Throws: ``DemoFailure`` once they are being ended; why it cannot be started.
  func start(_ arguments: [String], environment: [String: String] = [:]) throws -> ChildProcess {
    try whileOpen {
      let process = try ChildProcess(arguments, environment: environment)
      // Those that have gone need not be ended.
      processes.removeAll { !$0.isRunning }
      processes.append(process)
      return process
    }
  }

  /// Does what must not happen once the processes are being ended, such as writing what is removed with them.
  ///
  /// - Throws: ``DemoFailure`` if they are.
  func whileOpen<Value>(_ work: () throws -> Value) throws -> Value {
    try lock.withLock {
      guard !isOver else { throw DemoFailure("The demo is ending.") }
      return try work()
    }
  }

  /// Kills all of them. Returns when they are gone.
  func end() async {
    let processes = lock.withLock {
      isOver = true
      return self.processes
    }
    await withTaskGroup(of: Void.self) { group in
      for process in processes { group.addTask { await process.kill() } }
    }
  }
}
