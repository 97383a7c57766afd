import Foundation

/// What a program is sent when its terminal is closed: SIGHUP.
package enum ClosedTerminal {
  /// Whether this program ends with its terminal: unless it was started to outlive it, as `nohup` does.
  package static var endsThisProgram: Bool {
    var action = sigaction()
    sigaction(SIGHUP, nil, &action)
    let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    return handler != unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
