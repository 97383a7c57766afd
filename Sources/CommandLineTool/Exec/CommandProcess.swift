import CommandSignals
import Foundation
import ProgramSupport

/// The command of `exec`, running: in this program's process group and with its standard input, output and error.
///
/// Foundation's `Process` gives each child a process group of its own, which may not read from the terminal.
struct CommandProcess {
  let identifier: pid_t

  /// Starts it.
  ///
  /// - Parameters:
  ///   - command: a program, found through `PATH` unless it has a slash, and its arguments.
  ///   - environment: all of its environment.
  ///   - descriptors: what it may use of the files this program has open: those that its own caller gave.
  /// - Throws: ``CommandFailure``, unusable, where there is no such program, or it cannot be run.
  init(_ command: [String], environment: [String: String], descriptors: OpenDescriptors) throws {
    // The HTTP server's socket would otherwise live on in what the command leaves running.
    OpenDescriptors.current().subtracting(descriptors).closeOnExecution()
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Threads of this program block signals, and its HTTP server ignores SIGPIPE; neither is the command's affair.
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

  /// Returns when it has ended. Its number stays taken until ``exitStatus()`` is asked for.
  func waitForEnd() async {
    await withCheckedContinuation { (ended: CheckedContinuation<Void, Never>) in
      // A thread of its own, because waiting blocks.
      Thread.detachNewThread { [identifier] in
        var information = siginfo_t()
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) == -1 && errno == EINTR {}
        ended.resume()
      }
    }
  }

  /// As a shell would tell it: its own exit status, or 128 and the number of the signal that ended it.
  ///
  /// Call it once, after ``waitForEnd()``.
  func exitStatus() -> Int32 {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) == -1 && errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }
}

/// Passes the signals that ask this program to end on to the command it runs, which decides what comes of them.
///
/// What the terminal sends on Ctrl-C goes to the command as well as to this program, and is not sent to it twice:
/// many test runners take a second one for impatience. A signal that comes before there is a command waits for it.
///
/// There is one for the process and one command in its life, because a signal's handler can know of no other.
struct SignalRelay {
  /// Catches signals from now on, except those the caller has this program ignore, as `nohup` does.
  static func start() -> SignalRelay {
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { openstorekit_catch_signal(number) }
    return SignalRelay()
  }

  /// Passes on to what `start` starts what comes from now on, and what came before.
  func passing(toCommand start: () throws -> CommandProcess) rethrows -> CommandProcess {
    openstorekit_command_starts()
    let process = try start()
    openstorekit_command_runs(process.identifier)
    return process
  }

  /// Passes on nothing any more: the command has ended, and this program is about to.
  func stop() { openstorekit_command_has_ended() }
}
