import Dispatch
import Foundation
import StoreModel

/// Notes which signal ends this program. The service group handles the signals.
final class EndingSignals {
  private let queue = DispatchQueue(label: "openstorekit.signals")
  private let first = LockedValue<String?>(nil)
  private let sources: [any DispatchSourceSignal]

  /// - Parameter signals: the numbers and names of the signals.
  init(_ signals: [(CInt, String)]) {
    let (queue, first) = (queue, first)
    sources = signals.map { number, name in
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { first.withLock { $0 = $0 ?? name } }
      source.resume()
      return source
    }
  }

  /// The name of the first signal that was received, such as `SIGTERM`; nil if there was none.
  var received: String? {
    // Waits for a handler that is running.
    queue.sync {}
    return first.value
  }

  deinit { for source in sources { source.cancel() } }
}

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
