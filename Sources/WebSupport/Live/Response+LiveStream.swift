import HTTPTypes
import Hummingbird
import ServiceLifecycle

extension Response {
  /// A stream that tells a page when to look again: server-sent events (WHATWG HTML, section 9.2) named `changed`, one at once and one
  /// after each ring. It ends when the page is closed, and when the server stops.
  ///
  /// - Throws: `ErrorResponse` where too many pages listen.
  package static func liveStream(_ bell: PageSignal, for request: Request) throws -> Response {
    guard let rings = bell.rings() else {
      throw ErrorResponse(.serviceUnavailable, "tooManyPages", "Too many pages are open. Close some of them.")
    }
    return try .events(
      rings.stream.map { ServerSentEvent(name: "changed", data: "") },
      first: ServerSentEvent(name: "changed", data: ""), for: request
    ) {
      rings.end()
    }
  }

  /// A stream of server-sent events.
  ///
  /// - Parameters:
  ///   - events: what is told; the stream ends with them.
  ///   - first: told before them.
  ///   - end: called when the other side has closed its connection; must end `events`.
  /// - Throws: what comes from a page of another origin.
  package static func events<Events: AsyncSequence & Sendable>(
    _ events: Events, first: ServerSentEvent? = nil, for request: Request, end: @escaping @Sendable () -> Void
  ) throws(ErrorResponse) -> Response where Events.Element == ServerSentEvent {
    // A page of another origin could not read it, but hold its place.
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
        // Otherwise whoever has left is noticed only when there is something to tell.
        try await request.body.consumeWithInboundCloseHandler { _ in
          defer { end() }
          // How soon a browser comes back to a server that went away.
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
