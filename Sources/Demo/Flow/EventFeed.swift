import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOPosix
import StoreModel
import WebSupport

/// Reads a stream of server-sent events until its task is cancelled. After an interruption it reconnects and continues
/// after the last event.
struct EventFeed: Sendable {
  /// The pause before a reconnection. The server is probably being started again, and reconnecting without a pause
  /// would slow it down. Browsers use the same pause, because the streams send it as `retry` (WHATWG HTML, section
  /// 9.2).
  static let pauseMilliseconds = 500

  /// A client that reports a refused connection at once, because ``listen(_:)`` decides when to reconnect.
  private static let client: HTTPClient = {
    var configuration = HTTPClient.Configuration().checkingStatus()
    configuration.connectionPool.retryConnectionEstablishment = false
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }()

  let address: URL
  /// Returns how often the server was started. After a restart, it numbers its events from 1 again.
  var starts: @Sendable () -> Int = { 0 }
  let logger: Logger
  var clock: any MachineClock = SystemClock()

  /// Reads the stream. Returns when the task is cancelled.
  ///
  /// - Parameter handle: is called with each event.
  func listen(_ handle: @Sendable (EventStreamReader.Event) async -> Void) async {
    var position = Position(start: starts())
    // Successive identical errors are logged once.
    var lastError: String?
    while !Task.isCancelled {
      do {
        try await read(&position) { event in
          lastError = nil
          await handle(event)
        }
      } catch let error where Self.isServerAway(error) {
        // The server's program is being started again.
      } catch {
        let text = "\(error)"
        if text != lastError {
          logger.warning("A stream of events cannot be read", metadata: ["of": "\(address)", "error": "\(text)"])
        }
        lastError = text
      }
      do { try await clock.sleep(for: .milliseconds(Self.pauseMilliseconds)) } catch { return }
    }
  }

  /// A position in a stream.
  private struct Position {
    /// The result of ``EventFeed/starts`` at the time of the last connection.
    var start: Int
    var lastEventID = ""
  }

  private func read(_ position: inout Position, _ handle: (EventStreamReader.Event) async -> Void) async throws {
    let start = starts()
    if position.start != start { position = Position(start: start) }
    var request = HTTPClientRequest(url: address.absoluteString)
    if !position.lastEventID.isEmpty { request.headers.add(name: "Last-Event-ID", value: position.lastEventID) }
    // No deadline: the stream stays open while nothing happens.
    let response = try await Self.client.execute(request, deadline: .distantFuture)
    guard response.status == .ok else {
      let body = try await response.body.collect(upTo: EventStreamReader.largestEventBytes)
      throw DemoFailure("It answered with status \(response.status.code): \(String(buffer: body))")
    }
    var reader = EventStreamReader(after: position.lastEventID)
    do {
      for try await buffer in response.body {
        for event in try reader.add(buffer.readableBytesView) { await handle(event) }
        position.lastEventID = reader.lastEventID
      }
    } catch let failure as DemoFailure {
      throw failure
    } catch {
      // The connection was interrupted. `listen(_:)` connects again, so this is not an error.
    }
  }

  private static func isServerAway(_ error: any Error) -> Bool {
    switch error {
    case is IOError, is ChannelError, is NIOConnectionError, is CancellationError: true
    case let error as HTTPClientError:
      [.remoteConnectionClosed, .connectTimeout, .cancelled, .readTimeout].contains(error)
    default: false
    }
  }
}
