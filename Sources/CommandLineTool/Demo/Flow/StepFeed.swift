import AsyncHTTPClient
import Foundation
import NIOCore

/// Listens to an event stream for as long as the demo runs, and comes back to it when it breaks off.
struct StepFeed: Sendable {
  let address: URL
  /// How long to wait before coming back.
  let pause: Duration = .milliseconds(300)

  /// Returns when the task is cancelled.
  ///
  /// - Parameter hear: told each event.
  func listen(_ hear: (EventStreamReader.Event) async -> Void) async {
    while !Task.isCancelled {
      do {
        // However long nothing happens, the stream stays open.
        let response = try await HTTPClient.shared.execute(
          HTTPClientRequest(url: address.absoluteString), deadline: .distantFuture)
        var reader = EventStreamReader()
        for try await buffer in response.body {
          for event in try reader.add(buffer.readableBytesView) { await hear(event) }
        }
      } catch {
        // Its program ended, or is being started again.
      }
      try? await Task.sleep(for: pause)
    }
  }
}
