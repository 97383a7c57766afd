import Foundation

/// The effect of closing the terminal. The system then sends SIGHUP to the terminal's programs.
package enum ClosedTerminal {
  /// Whether this program ends when its terminal is closed. False if it was started with SIGHUP ignored, as by `nohup`.
  package static var endsThisProgram: Bool {
    var action = sigaction()
    sigaction(SIGHUP, nil, &action)
    let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    return handler != unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
