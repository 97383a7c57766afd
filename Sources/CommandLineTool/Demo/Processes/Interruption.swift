import Foundation

/// Does something on Ctrl-C or SIGTERM, or when the terminal is closed, and then ends the program.
final class Interruption {
  private let sources: [any DispatchSourceSignal]

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

  func disarm() { for source in sources { source.cancel() } }
}
