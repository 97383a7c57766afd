import CommandSignals
import Foundation

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
