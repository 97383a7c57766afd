import Foundation
import Synchronization

/// Passes the signals that ask this program to end on to the command it runs, which decides what comes of them.
///
/// What the terminal sends on Ctrl-C goes to the command as well as to this program, and is not sent to it twice:
/// many test runners take a second one for impatience. A signal that comes before there is a command waits for it.
///
/// There is one for the process, because a signal's handler can know of nothing else.
struct SignalRelay {
  private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
  /// 0 while there is no command yet, -1 when there is none any more.
  private static let command = Atomic<pid_t>(0)
  private static let waiting = Atomic<Int32>(0)

  /// Catches signals from now on, except those the caller has this program ignore, as `nohup` does.
  static func start() -> SignalRelay {
    // Made here, so that a handler finds them made.
    command.store(0, ordering: .sequentiallyConsistent)
    waiting.store(0, ordering: .sequentiallyConsistent)
    var action = sigaction()
    action.sa_flags = SA_SIGINFO | SA_RESTART
    action.__sigaction_handler.sa_sigaction = { number, information, _ in
      SignalRelay.caught(number, isFromTerminal: information.map { Int($0.pointee.si_code) == Int(SI_KERNEL) } ?? false)
    }
    for number in numbers {
      var former = sigaction()
      sigaction(number, nil, &former)
      let isIgnored = unsafeBitCast(former.__sigaction_handler.sa_handler, to: Int.self) == 1
      if !isIgnored { sigaction(number, &action, nil) }
    }
    return SignalRelay()
  }

  /// Passes on to that process what comes from now on, and what came before.
  func pass(to process: pid_t) {
    Self.command.store(process, ordering: .sequentiallyConsistent)
    let number = Self.waiting.exchange(0, ordering: .sequentiallyConsistent)
    if number != 0 { kill(process, number) }
  }

  /// Passes on nothing any more: the command has ended, and this program is about to.
  func stop() { Self.command.store(-1, ordering: .sequentiallyConsistent) }

  /// Runs inside a signal's handler: it may call nothing but what is safe there.
  private static func caught(_ number: Int32, isFromTerminal: Bool) {
    let errorNumber = errno
    defer { errno = errorNumber }
    let process = command.load(ordering: .sequentiallyConsistent)
    if process == 0 {
      waiting.store(number, ordering: .sequentiallyConsistent)
      // The command may have come meanwhile, and would not look again.
      let late = command.load(ordering: .sequentiallyConsistent)
      if late > 0, waiting.exchange(0, ordering: .sequentiallyConsistent) != 0 { kill(late, number) }
    } else if process > 0 && !isFromTerminal {
      kill(process, number)
    }
  }
}
