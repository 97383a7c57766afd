import Foundation

/// Sends the app's events to its parent process.
package struct EventSender: Sendable {
  private let write: @Sendable (AppEvent) -> Void

  package init(_ write: @escaping @Sendable (AppEvent) -> Void) { self.write = write }

  /// Sends one event, at once.
  package func callAsFunction(_ event: AppEvent) { write(event) }

  /// Writes one JSON document per line to standard output.
  package static let standardOutput = EventSender { event in
    do {
      try FileHandle.standardOutput.write(contentsOf: Data("\(try AppMessages.write(event))\n".utf8))
    } catch {
      // If this fails too, the parent process has ended.
      try? FileHandle.standardError.write(contentsOf: Data("sample-app: \(error)\n".utf8))
    }
  }
}
