import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Answers `Expect: 100-continue` with the status 100 when the request's body is read (RFC 9110, section 10.1.1). A
/// request that is refused before its body is read gets no status 100.
///
/// curl sends this header with bodies of more than 1 MiB, and otherwise waits a second before it sends the body.
package final class ExpectContinueHandler: ChannelDuplexHandler, RemovableChannelHandler {
  package typealias InboundIn = HTTPRequestPart
  package typealias InboundOut = HTTPRequestPart
  package typealias OutboundIn = HTTPResponsePart
  package typealias OutboundOut = HTTPResponsePart

  /// An outbound event, sent when the program begins to read the body of the oldest unanswered request.
  package struct BodyIsRead: Sendable {
    package init() {}
  }

  /// For each request that is not answered completely, whether its client waits for the status 100; oldest first.
  private var waiting: [Bool] = []

  package init() {}

  package func handlerAdded(context: ChannelHandlerContext) {
    // In tests, the pipeline may have no codec. It then needs no `RequestHeadHandler`.
    let pipeline = context.pipeline.syncOperations
    guard let codec = try? pipeline.handler(type: HTTP1ToHTTPServerCodec.self) else { return }
    try? pipeline.addHandler(RequestHeadHandler(), position: .before(codec))
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): waiting.append(head.headerFields[.expect]?.lowercased() == "100-continue")
    // A client that sends its body does not wait for the status 100.
    case .body: if !waiting.isEmpty { waiting[waiting.count - 1] = false }
    case .end: break
    }
    context.fireChannelRead(data)
  }

  package func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    guard event is BodyIsRead else { return context.triggerUserOutboundEvent(event, promise: promise) }
    promise?.succeed()
    guard waiting.first == true else { return }
    waiting[0] = false
    context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
  }

  package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if !waiting.isEmpty {
      switch unwrapOutboundIn(data) {
      case .head(let head) where head.status.kind != .informational: waiting[0] = false
      case .end: waiting.removeFirst()
      default: break
      }
    }
    context.write(data, promise: promise)
  }
}

@available(*, unavailable)
extension ExpectContinueHandler: Sendable {}

/// Changes requests by what the messages of `HTTP1ToHTTPServerCodec`, which follows, do not contain: the HTTP version, and the
/// host of the request line.
///
/// Removes `Expect` from requests with HTTP/1.0, whose clients do not understand the status 100 (RFC 9110, section 10.1.1). The
/// host of a request line that is no path becomes another `Host`, unless it is the same.
final class RequestHeadHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data), head.version == .http1_0 || !head.uri.hasPrefix("/") else {
      return context.fireChannelRead(data)
    }
    if head.version == .http1_0 { head.headers.remove(name: "Expect") }
    if let host = Self.host(ofTarget: head.uri), head.headers["Host"].first != host {
      head.headers.add(name: "Host", value: host)
    }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  /// Returns what stands between `//` and the path; nil for a path.
  private static func host(ofTarget target: String) -> String? {
    guard !target.hasPrefix("/"), let begin = target.firstRange(of: "//")?.upperBound else { return nil }
    return String(target[begin...].prefix { $0 != "/" && $0 != "?" && $0 != "#" })
  }
}

@available(*, unavailable)
extension RequestHeadHandler: Sendable {}
