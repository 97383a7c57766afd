import Foundation

/// Does something on Ctrl-C or SIGTERM, or when the terminal is closed, and then ends the program.
final class Interruption {
  private let sources: [any DispatchSourceSignal]

  /// Watches for the signals from now on.
  ///
  /// - Parameter work: is done before the program ends.
  init(_ work: @escaping @Sendable () async -> Void) {
    sources = ([SIGINT, SIGTERM] + (ClosedTerminal.isEnd ? [SIGHUP] : [])).map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        Task {
          await work()
          Foundation.exit(128 + number)
        }
      }
      source.resume()
      return source
    }
  }

  /// Watches no more: the signals do nothing from now on.
  func disarm() { for source in sources { source.cancel() } }
}
