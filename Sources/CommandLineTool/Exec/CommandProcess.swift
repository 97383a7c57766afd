import CommandSignals
import Foundation
import ProgramSupport

/// The running command of `exec`. It shares this program's process group and standard input, output and error.
///
/// Foundation's `Process` gives each child a process group of its own. Such a child cannot read from the terminal.
struct CommandProcess {
  let identifier: pid_t

  /// Starts the command.
  ///
  /// - Parameters:
  ///   - command: a program, found through `PATH` unless it has a slash, and its arguments.
  ///   - environment: its complete environment.
  ///   - descriptors: the file descriptors that the command inherits: those that this program inherited from its own
  ///     caller.
  /// - Throws: ``CommandFailure/unusable(_:)`` if there is no such program, or it cannot be run.
  init(_ command: [String], environment: [String: String], descriptors: OpenDescriptors) throws {
    // All other descriptors are closed for the command. Otherwise, processes that the command leaves running would keep
    // the HTTP server's socket open.
    OpenDescriptors.current().subtracting(descriptors).closeOnExecution()
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Threads of this program block signals, and its HTTP server ignores SIGPIPE. The command must inherit neither.
    var (blocked, defaults) = (sigset_t(), sigset_t())
    sigemptyset(&blocked)
    sigemptyset(&defaults)
    sigaddset(&defaults, SIGPIPE)
    posix_spawnattr_setsigmask(&attributes, &blocked)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let arguments = command.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var identifier = pid_t()
    let fault = posix_spawnp(&identifier, command[0], nil, &attributes, arguments, variables)
    switch fault {
    case 0: self.identifier = identifier
    case ENOENT:
      throw CommandFailure.unusable(
        "There is no command \(command[0]). Name one that is on the PATH, or give its path.")
    default: throw CommandFailure.unusable("\(command[0]) cannot be run: \(String(cString: strerror(fault)))")
    }
  }

  /// Returns when the command has ended. The system does not reuse its process id until ``exitStatus()`` is called.
  func waitForEnd() async {
    await withCheckedContinuation { (ended: CheckedContinuation<Void, Never>) in
      // A separate thread, because waiting blocks.
      Thread.detachNewThread { [identifier] in
        var information = siginfo_t()
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) == -1 && errno == EINTR {}
        ended.resume()
      }
    }
  }

  /// Returns the status as a shell reports it: the exit status of the command, or 128 plus the number of the signal
  /// that ended it.
  ///
  /// Call this once, after ``waitForEnd()``.
  func exitStatus() -> Int32 {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) == -1 && errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
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

  /// Starts the command, and forwards to it the signals that arrived before and those that arrive from now on.
  func passing(toCommand start: () throws -> CommandProcess) rethrows -> CommandProcess {
    openstorekit_command_starts()
    let process = try start()
    openstorekit_command_runs(process.identifier)
    return process
  }

  /// Stops forwarding. Called after the command has ended, before this program ends.
  func stop() { openstorekit_command_has_ended() }
}
