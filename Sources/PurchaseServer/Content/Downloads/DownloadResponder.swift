import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTPTypes
import StoreModel

/// Responds to GET and HEAD of a download link with the file or a part of it, no faster than the client reads.
///
/// At most one chunk of a file is in memory. The next chunk is read when the operating system has accepted the one before.
public struct DownloadResponder: Sendable {
  private let content: any ContentStore
  private let links: DownloadLinkSigner
  private let limits: DownloadLimits
  private let lookup: DownloadLookup
  private let count: @Sendable (Int64) -> Void
  private let clock: any MachineClock

  /// - Parameter count: called with the number of sent bytes, for metrics.
  public init(
    content: any ContentStore, links: DownloadLinkSigner, limits: DownloadLimits = .init(),
    count: @escaping @Sendable (Int64) -> Void = { _ in }, lookup: @escaping DownloadLookup
  ) {
    self.init(content: content, links: links, limits: limits, count: count, lookup: lookup, clock: SystemClock())
  }

  init(
    content: any ContentStore, links: DownloadLinkSigner, limits: DownloadLimits,
    count: @escaping @Sendable (Int64) -> Void = { _ in }, lookup: @escaping DownloadLookup,
    clock: any MachineClock
  ) {
    self.content = content
    self.links = links
    self.limits = limits
    self.lookup = lookup
    self.count = count
    self.clock = clock
  }

  /// Returns the response to a request for a download link.
  ///
  /// - Parameters:
  ///   - token: The last segment of the path.
  ///   - channel: The connection. It is closed if the download must not continue.
  /// - Throws: ``DownloadRefusal``, ``ContentStoreError``, or the error of the lookup.
  public func respond(
    to request: Request, token: String, over channel: any Channel, logger: Logger
  ) async throws -> Response {
    let link = try link(in: token)
    let file = try await file(of: link)
    let answer = DownloadAnswer(to: request.method, request.headers, file: file)
    guard try await content.size(of: file.digest) == file.size else {
      logger.error(
        "A content file is missing, or of another size than the ledger says", metadata: ["sha256": "\(file.digest)"])
      throw DownloadRefusal.contentMissing
    }
    var response = Response(status: answer.status, headers: answer.fields)
    if let part = answer.part, !part.isEmpty {
      let chunks = try await content.read(file.digest, part)
      let watch = DownloadWatch(channel: channel, limits: limits, clock: clock, logger: logger)
      response.body = body(of: chunks, Int(part.upperBound - part.lowerBound), link, watch)
    }
    // Hummingbird sets `Content-Length: 0` for every empty body. But a response to HEAD has the length of the content,
    // and a 304 has no length.
    response.headers[.contentLength] = answer.fields[.contentLength]
    return response
  }

  private func link(in token: String) throws(DownloadRefusal) -> DownloadLink {
    do {
      return try links.link(in: token)
    } catch .expired {
      throw .linkExpired
    } catch {
      throw .noSuchLink
    }
  }

  private func file(of link: DownloadLink) async throws -> DownloadableFile {
    switch try await lookup(link) {
    case .allowed(let file):
      // The link is valid only for the file that it was made for, even if the lookup returns another one.
      guard file.digest == link.digest else { throw DownloadRefusal.noSuchLink }
      return file
    case .ended(let reason): throw DownloadRefusal.deliveryEnded(reason: reason)
    case .unknown: throw DownloadRefusal.noSuchLink
    }
  }

  private func body(
    of chunks: ContentChunks, _ length: Int, _ link: DownloadLink, _ watch: DownloadWatch
  ) -> ResponseBody {
    ResponseBody(contentLength: length) { writer in
      do {
        try await watch.watching { progress in
          var unchecked: Int64 = 0
          for try await chunk in chunks {
            if unchecked >= limits.recheckBytes {
              try await confirm(link)
              unchecked = 0
            }
            let bytes = Int64(chunk.readableBytes)
            try await writer.write(chunk)
            try await watch.channel.untilTaken()
            progress.add(bytes)
            count(bytes)
            unchecked += bytes
          }
          try await writer.finish(nil)
        }
      } catch {
        let delivery = link.deliveryID.uuidString.lowercased()
        watch.logger.info("A download ended early", metadata: ["delivery": "\(delivery)", "reason": "\(error)"])
        throw error
      }
    }
  }

  /// Checks whether a running download may continue. If that cannot be confirmed, the download is ended.
  private func confirm(_ link: DownloadLink) async throws {
    do {
      _ = try await file(of: link)
    } catch let refusal as DownloadRefusal {
      throw DownloadCut.ended(reason: refusal.description)
    }
  }
}

/// Whether the file of a link may be downloaded now.
public enum DownloadStatus: Hashable, Sendable {
  /// The delivery has not ended, and this is the file.
  case allowed(DownloadableFile)
  /// The delivery has ended: the purchase was refunded, revoked, moved to another customer, or its access has expired.
  ///
  /// - Parameter reason: A text for the customer.
  case ended(reason: String)
  /// The delivery does not exist, or the file is not part of it.
  case unknown
}

/// Looks up a link's delivery in the ledger. It is called for each request, and repeatedly during a download.
public typealias DownloadLookup = @Sendable (_ link: DownloadLink) async throws -> DownloadStatus

extension Channel {
  /// Returns when the operating system has accepted all bytes that were written to the connection so far.
  ///
  /// While the connection is marked as writable, a write from a task only joins the queue of the connection's event
  /// loop, and returns before the bytes are sent. So a sender that does not wait could queue a whole file. The empty
  /// body part written here is queued behind all earlier writes, and its promise succeeds when all of them have left
  /// the process.
  func untilTaken() async throws {
    try await writeAndFlush(HTTPResponsePart.body(ByteBuffer())).get()
  }
}

extension Channel {
  /// Resets the connection, and drops the bytes that were not sent yet. The client detects that the response is incomplete.
  func abort(logger: Logger) async {
    do {
      // Closing with a linger time of 0 sends RST instead of FIN. Channels of tests have no socket.
      if let socket = self as? any SocketOptionProvider {
        try await socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
      }
      try await close(mode: .all)
    } catch ChannelError.alreadyClosed, ChannelError.ioOnClosedChannel {
      // The client has already closed the connection.
    } catch {
      logger.debug("A connection could not be reset", metadata: ["error": "\(error)"])
      close(mode: .all, promise: nil)
    }
  }
}
