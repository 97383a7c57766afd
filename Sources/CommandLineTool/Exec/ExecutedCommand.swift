import ChildProcesses
import CommandSignals
import Foundation
import ProgramSupport

/// The command of `exec`. It shares this program's process group, so that it can read from the terminal, and its standard
/// input, output and error.
struct ExecutedCommand {
  let program: String
  let arguments: [String]
  /// The complete environment.
  let environment: [String: String]
  /// The file descriptors that it inherits: those that this program inherited from its own caller.
  let descriptors: OpenDescriptors

  /// Starts the command. `didStart` is called with its process id, and `willRelease` when it has ended, while no other process
  /// can have that id.
  ///
  /// - Throws: ``CommandFailure/unusable(_:)`` if there is no such program, or it cannot be run.
  func start(
    didStart: (pid_t) -> Void, willRelease: @escaping @Sendable (pid_t) -> Void
  ) throws -> SpawnedProcess {
    // All other descriptors are closed for the command. Otherwise, processes that the command leaves running would keep
    // the HTTP server's socket open.
    OpenDescriptors.current().subtracting(descriptors).closeOnExecution()
    var inheritance = SpawnedProcess.Inheritance()
    inheritance.environment = environment
    (inheritance.input, inheritance.output) = (.inherited, .inherited)
    inheritance.sharesGroupAndDescriptors = true
    do {
      return try SpawnedProcess(program, arguments, inheritance, didStart: didStart, willRelease: willRelease)
    } catch let error as SpawnError where error.number == ENOENT {
      throw CommandFailure.unusable("There is no command \(program). Name one that is on the PATH, or give its path.")
    } catch let error as SpawnError {
      throw CommandFailure.unusable("\(error)")
    }
  }
}

/// Forwards termination signals to the running command, which decides how to handle them.
///
/// Signals from the terminal, such as SIGINT on Ctrl-C, are not forwarded. The terminal sends them to the command as
/// well, and many test runners abort at a second SIGINT. A signal that arrives before the command starts is forwarded
/// when the command has started.
///
/// A process has at most one relay, and the relay serves one command, because a signal handler needs global state.
struct SignalRelay {
  /// Starts to catch signals, except those that the caller set to be ignored, as `nohup` does.
  static func start() -> SignalRelay {
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { openstorekit_catch_signal(number) }
    return SignalRelay()
  }

  /// Called before the command is started: from now on it receives the terminal's signals itself.
  func commandStarts() { openstorekit_command_starts() }

  /// Forwards to the command the signals that arrived before and those that arrive from now on.
  func pass(to command: pid_t) { openstorekit_command_runs(command) }

  /// Stops forwarding. Called after the command has ended, before another process can have its id.
  func stop() { openstorekit_command_has_ended() }
}
