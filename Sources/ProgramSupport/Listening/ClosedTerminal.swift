import Foundation

/// Handles the end of the terminal, on which the system sends SIGHUP to its programs.
package enum ClosedTerminal {
  /// Whether this program ends with its terminal: true unless its caller has it ignore SIGHUP, as `nohup` does.
  package static var endsThisProgram: Bool {
    var action = sigaction()
    sigaction(SIGHUP, nil, &action)
    let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    return handler != unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
