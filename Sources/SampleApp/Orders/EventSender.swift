import Foundation

/// Sends the app's events to its parent process.
package struct EventSender: Sendable {
  private let tell: @Sendable (SampleAppEvent) -> Void

  package init(_ tell: @escaping @Sendable (SampleAppEvent) -> Void) { self.tell = tell }

  /// Sends one event, at once.
  package func callAsFunction(_ event: SampleAppEvent) { tell(event) }

  /// Writes one JSON document per line to standard output.
  package static let standardOutput = EventSender { event in
    do {
      try FileHandle.standardOutput.write(contentsOf: Data("\(try SampleAppMessages.write(event))\n".utf8))
    } catch {
      // If this fails too, the parent process has ended.
      try? FileHandle.standardError.write(contentsOf: Data("sample-app: \(error)\n".utf8))
    }
  }
}
