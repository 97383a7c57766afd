import Foundation
import HTTPTransport

/// The state of one file's download, and the meaning of each event for it; see Documentation/downloads.md, "A file". A pure
/// value, without disk, network or clock.
struct FileDownload: Hashable, Sendable {
  let size: Int64
  /// The number of bytes that are downloaded.
  private(set) var receivedBytes: Int64
  /// The entity tag of the response that contained the first downloaded bytes; nil if there is no strong one.
  private(set) var entityTag: String?
  /// Whether the current link is new and has not been used successfully.
  private(set) var isLinkNew = false
  private var hasStartedOver = false
  private var hasBeenWrong = false

  /// - Parameters:
  ///   - part: the number of bytes that are downloaded already, and the entity tag of their response.
  init(size: Int64, part: (bytes: Int64, entityTag: String)? = nil) {
    self.size = size
    receivedBytes = part?.bytes ?? 0
    entityTag = part?.entityTag
  }

  var isComplete: Bool { receivedBytes == size }

  /// The header fields of the next request.
  var fields: [String: String] {
    // The digest is that of the published file, so the response must not be compressed.
    var fields = ["Accept-Encoding": "identity"]
    if receivedBytes > 0, let entityTag {
      fields["Range"] = "bytes=\(receivedBytes)-"
      fields["If-Range"] = entityTag
    }
    return fields
  }

  /// The meaning of a response.
  enum Meaning: Hashable, Sendable {
    /// The body continues the downloaded bytes.
    case append
    /// The body is the whole file; the downloaded bytes are discarded.
    case restart
    case renewLink
    /// The response does not continue the downloaded bytes. They are discarded, and the whole file is requested.
    case startOver
    /// The delivery may have ended; the body contains the reason.
    case forbidden
    case again
    case unexpected(String)
  }

  mutating func answered(_ head: HTTPReplyHead) -> Meaning {
    let isResuming = receivedBytes > 0
    switch head.status {
    case 200:
      // A response of another length is not the file. It may come from a proxy or a Wi-Fi login page. Such a response must
      // not discard the downloaded bytes.
      if let length = head["Content-Length"], Int64(length) != size {
        return .unexpected("it is \(length) bytes long, and should be \(size)")
      }
      restart(tag: head["ETag"])
      return .restart
    case 206 where isResuming && head["ETag"] == entityTag && isContinuation(head["Content-Range"]):
      return .append
    case 206, 416:
      return startOver("it answers with another part than was asked for (HTTP \(head.status))")
    case 404, 410:
      // A new link cannot have expired.
      if isLinkNew { return .unexpected("a new link is refused (HTTP \(head.status))") }
      return .renewLink
    case 403: return .forbidden
    case 408, 429, 500...: return .again
    default: return .unexpected("the server answers with HTTP status \(head.status)")
    }
  }

  /// Records that the server has sent a new link.
  mutating func renewedLink() { isLinkNew = true }

  /// Adds received bytes.
  ///
  /// - Returns: false if there are more bytes than the file has.
  mutating func received(_ bytes: Int64) -> Bool {
    receivedBytes += bytes
    // The link worked once, so it may be renewed when it expires.
    isLinkNew = false
    return receivedBytes <= size
  }

  /// Records that the downloaded bytes have the wrong digest or length, and discards them.
  ///
  /// - Returns: whether to download the file once more.
  mutating func failedVerification() -> Bool {
    restart(tag: nil)
    defer { hasBeenWrong = true }
    return !hasBeenWrong
  }

  private mutating func startOver(_ reason: String) -> Meaning {
    restart(tag: nil)
    guard !hasStartedOver else { return .unexpected(reason) }
    hasStartedOver = true
    return .startOver
  }

  private mutating func restart(tag: String?) {
    receivedBytes = 0
    // A weak entity tag does not guarantee the same bytes, so a download cannot continue with it.
    entityTag = tag?.hasPrefix("\"") == true ? tag : nil
  }

  /// Whether `Content-Range` (RFC 9110, section 14.4) begins at the end of the downloaded bytes.
  private func isContinuation(_ field: String?) -> Bool {
    guard let match = field?.wholeMatch(of: /bytes (\d{1,18})-(\d{1,18})\/(\d{1,18}|\*)/) else { return false }
    return Int64(match.1) == receivedBytes && (match.3 == "*" || Int64(match.3) == size)
  }
}
