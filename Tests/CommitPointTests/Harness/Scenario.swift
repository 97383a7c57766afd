import Foundation

/// A sequence of actions of several processes, at whose commit points the tests interrupt it.
protocol Scenario: Sendable {
  associatedtype Run: ScenarioRun

  /// The name in failure messages.
  var name: String { get }

  /// Makes the folder that each run starts with a copy of. Its content counts as durable. The disk of each process is the
  /// subfolder with the name of its role.
  func prepare(in folder: URL) async throws

  /// Makes a run in a fresh environment.
  func makeRun(in environment: RunEnvironment) -> Run
}

/// One run of a scenario.
///
/// Every method except `check` can be interrupted at any moment by ``ProcessEnded``, which it rethrows.
protocol ScenarioRun {
  /// The processes, in the order in which they are started.
  var roles: [ProcessRole] { get }

  /// Starts a process, for the first time or again.
  func start(_ role: ProcessRole) async throws

  /// Performs the whole scenario without interruption, up to the regular end of all processes.
  func perform() async throws

  /// Continues after an interruption as a customer would, until nothing is left to do. All processes are running again.
  func recover() async throws

  /// Describes the data on the disk of a process that has just been interrupted; nil if the tests do not compare it.
  func diskState(of role: ProcessRole) throws -> String?

  /// Checks the disks after all processes have ended.
  ///
  /// - Returns: descriptions of the errors.
  func check() async throws -> [String]
}

extension ScenarioRun {
  func diskState(of role: ProcessRole) throws -> String? { nil }
}
