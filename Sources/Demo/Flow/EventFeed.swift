import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOPosix
import StoreModel

/// Listens to an event stream for as long as the demo runs, and comes back to where it was when it breaks off.
struct EventFeed: Sendable {
  /// How long nobody is asked after a stream has broken off. What serves it is being started again then, or hangs: asked in a circle
  /// it would be kept from just that. A browser waits as long by `retry` (WHATWG HTML, section 9.2).
  static let pauseMilliseconds = 500

  /// Says at once that nobody is there: when to try again is decided here.
  private static let client: HTTPClient = {
    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.retryConnectionEstablishment = false
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }()

  let address: URL
  /// How often what serves the stream was started. Started anew, it counts its events from 1 again.
  var starts: @Sendable () -> Int = { 0 }
  let logger: Logger
  var clock: any MachineClock = SystemClock()

  /// Returns when the task is cancelled.
  ///
  /// - Parameter hear: told each event.
  func listen(_ hear: @Sendable (EventStreamReader.Event) async -> Void) async {
    var place = Place(start: starts())
    // The same refusal, again and again, is told once.
    var told: String?
    while !Task.isCancelled {
      do {
        try await read(&place) { event in
          told = nil
          await hear(event)
        }
      } catch  where Self.isNobodyThere(error) {
        // Its program is being started again.
      } catch {
        let words = "\(error)"
        if words != told {
          logger.warning("A stream cannot be heard", metadata: ["of": "\(address)", "error": "\(words)"])
        }
        told = words
      }
      do { try await clock.sleep(for: .milliseconds(Self.pauseMilliseconds)) } catch { return }
    }
  }

  /// How far a stream was read.
  private struct Place {
    /// The start of what serves it.
    var start: Int
    var lastEventID = ""
  }

  private func read(_ place: inout Place, _ hear: (EventStreamReader.Event) async -> Void) async throws {
    let start = starts()
    if place.start != start { place = Place(start: start) }
    var request = HTTPClientRequest(url: address.absoluteString)
    if !place.lastEventID.isEmpty { request.headers.add(name: "Last-Event-ID", value: place.lastEventID) }
    // However long nothing happens, the stream stays open.
    let response = try await Self.client.execute(request, deadline: .distantFuture)
    guard response.status == .ok else {
      let words = try await response.body.collect(upTo: EventStreamReader.largestEventBytes)
      throw DemoFailure("It answered with status \(response.status.code): \(String(buffer: words))")
    }
    var reader = EventStreamReader(after: place.lastEventID)
    do {
      for try await buffer in response.body {
        for event in try reader.add(buffer.readableBytesView) { await hear(event) }
        place.lastEventID = reader.lastEventID
      }
    } catch let failure as DemoFailure {
      throw failure
    } catch {
      // It broke off, which is how a stream without an end ends.
    }
  }

  private static func isNobodyThere(_ error: any Error) -> Bool {
    switch error {
    case is IOError, is ChannelError, is NIOConnectionError, is CancellationError: true
    case let error as HTTPClientError:
      [.remoteConnectionClosed, .connectTimeout, .cancelled, .readTimeout].contains(error)
    default: false
    }
  }
}
