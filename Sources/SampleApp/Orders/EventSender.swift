import Foundation

/// Tells the app's parent what happens.
package struct EventSender: Sendable {
  private let tell: @Sendable (SampleAppEvent) -> Void

  package init(_ tell: @escaping @Sendable (SampleAppEvent) -> Void) { self.tell = tell }

  /// Says one thing, at once.
  package func callAsFunction(_ event: SampleAppEvent) { tell(event) }

  /// One JSON document a line, on standard output.
  package static let standardOutput = EventSender { event in
    do {
      try FileHandle.standardOutput.write(contentsOf: Data("\(try SampleAppMessages.write(event))\n".utf8))
    } catch {
      // Where that cannot be said either, the phone has gone.
      try? FileHandle.standardError.write(contentsOf: Data("sample-app: \(error)\n".utf8))
    }
  }
}
