import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import StoreModel

/// Answers GET and HEAD of a download link with the file, or a part of it, as fast as it is read and no faster.
///
/// Of a file no more is in memory than one chunk: the next is read when the system has taken the one before.
public struct DownloadResponder: Sendable {
  private let content: any ContentStore
  private let links: DownloadLinkSigner
  private let limits: DownloadLimits
  private let lookup: DownloadLookup
  private let count: @Sendable (Int64) -> Void
  private let clock: any MachineClock

  /// - Parameter count: told of the bytes that were sent.
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

  /// - Parameters:
  ///   - token: The last part of the path.
  ///   - channel: The connection, which is ended when the download must not go on.
  /// - Throws: ``DownloadRefusal``, ``ContentStoreError``, or what the lookup threw.
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
    // An empty body would otherwise be given a length of 0, also where none is to be told.
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
      // A link opens what it was made for, whatever the lookup makes of it.
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

  /// Asks whether a download that runs may go on. What cannot be confirmed is not sent.
  private func confirm(_ link: DownloadLink) async throws {
    do {
      _ = try await file(of: link)
    } catch let refusal as DownloadRefusal {
      throw DownloadCut.ended(reason: refusal.description)
    }
  }
}
