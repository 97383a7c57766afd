import HTTPTypes
import Hummingbird
import ServiceLifecycle

extension Response {
  /// A stream of server-sent events (WHATWG HTML, section 9.2) named `changed`, after which a page reloads its content.
  ///
  /// It sends one event at once and one after each signal. It ends when the page is closed or the server stops.
  ///
  /// - Throws: `ErrorResponse` if too many pages listen, or if the request comes from a page of another origin.
  package static func liveStream(_ signal: PageSignal, for request: Request) throws -> Response {
    guard let notifications = signal.notifications() else {
      throw ErrorResponse(.serviceUnavailable, "tooManyPages", "Too many pages are open. Close some of them.")
    }
    return try .events(
      notifications.stream.map { ServerSentEvent(name: "changed", data: "") },
      first: ServerSentEvent(name: "changed", data: ""), for: request
    ) {
      notifications.end()
    }
  }

  /// A stream of server-sent events.
  ///
  /// - Parameters:
  ///   - events: the events; the stream ends after the last one.
  ///   - first: an event that is sent before `events`.
  ///   - end: called when the client has closed its connection; it must end `events`.
  /// - Throws: `ErrorResponse` if the request comes from a page of another origin.
  package static func events<Events: AsyncSequence & Sendable>(
    _ events: Events, first: ServerSentEvent? = nil, for request: Request, end: @escaping @Sendable () -> Void
  ) throws(ErrorResponse) -> Response where Events.Element == ServerSentEvent {
    // A page of another origin could not read the stream, but would occupy one of the permitted streams.
    do {
      try BrowserOrigin.check(request)
    } catch {
      end()
      throw error
    }
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/event-stream", .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
        HTTPField.Name("Cross-Origin-Resource-Policy")!: "same-origin",
      ],
      body: ResponseBody { writer in
        // Without this, a closed connection would only be detected when the next event is sent.
        try await request.body.consumeWithInboundCloseHandler { _ in
          defer { end() }
          // The pause after which a browser reconnects, in milliseconds.
          try await writer.write(ByteBuffer(string: "retry: 500\n\n"))
          if let first { try await writer.write(ByteBuffer(string: first.text)) }
          for try await event in events.cancelOnGracefulShutdown() {
            try await writer.write(ByteBuffer(string: event.text))
          }
        } onInboundClosed: {
          end()
        }
        try await writer.finish(nil)
      })
  }
}

/// One message of an event stream (WHATWG HTML, section 9.2).
package struct ServerSentEvent: Hashable, Sendable {
  /// The event type for which a page's script listens.
  package let name: String
  package let data: String
  /// The id that the browser sends as `Last-Event-ID` when it reconnects; nil for an event without id.
  package let id: Int?

  package init(name: String, data: String, id: Int? = nil) {
    self.name = name
    self.data = data
    self.id = id
  }

  /// The event in the stream's format.
  package var text: String {
    let lines = data.split(omittingEmptySubsequences: false) { $0.isNewline }
    return (id.map { "id: \($0)\n" } ?? "") + "event: \(name)\n" + lines.map { "data: \($0)\n" }.joined() + "\n"
  }
}
