import Foundation
import HTTPTransport

/// How far the download of one file is, and what each thing that happens means for it: Documentation/downloads.md,
/// "A file". Without disk, network or clock.
struct FileDownload: Hashable, Sendable {
  let size: Int64
  /// How much of the file is here.
  private(set) var receivedBytes: Int64
  /// Of the answer that what is here began with; nil where nothing is here.
  private(set) var entityTag: String?
  /// Whether the link was asked for in this very run.
  private(set) var isLinkNew = false
  private var hasStartedOver = false
  private var hasBeenWrong = false

  /// - Parameters:
  ///   - part: what is here already, and the tag it began with.
  init(size: Int64, part: (bytes: Int64, entityTag: String)? = nil) {
    self.size = size
    receivedBytes = part?.bytes ?? 0
    entityTag = part?.entityTag
  }

  var isComplete: Bool { receivedBytes == size }

  /// What to ask with.
  var fields: [String: String] {
    // What is hashed is what was published, not another coding of it.
    var fields = ["Accept-Encoding": "identity"]
    if receivedBytes > 0, let entityTag {
      fields["Range"] = "bytes=\(receivedBytes)-"
      fields["If-Range"] = entityTag
    }
    return fields
  }

  /// What an answer means.
  enum Meaning: Hashable, Sendable {
    /// The body follows what is here.
    case append
    /// The body is all of the file; what is here is of no use.
    case restart
    case renewLink
    /// What is here does not fit: it is to be removed, and all of it asked for.
    case startOver
    /// Perhaps the delivery has ended; the body says.
    case forbidden
    case again
    case unexpected(String)
  }

  mutating func answered(_ head: HTTPReplyHead) -> Meaning {
    let isResuming = receivedBytes > 0
    switch head.status {
    case 200:
      // What somebody in between has to say, such as a portal that wants a click, must not cost what is here.
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
      // One that was made a moment ago cannot be too old.
      if isLinkNew { return .unexpected("a new link is refused (HTTP \(head.status))") }
      return .renewLink
    case 403: return .forbidden
    case 408, 429, 500...: return .again
    default: return .unexpected("the server answers with HTTP status \(head.status)")
    }
  }

  /// A new link is there.
  mutating func renewedLink() { isLinkNew = true }

  /// Pieces of the body have been written.
  ///
  /// - Returns: false if that is more than the file has.
  mutating func received(_ bytes: Int64) -> Bool {
    receivedBytes += bytes
    // A link that worked may be renewed when it is old.
    isLinkNew = false
    return receivedBytes <= size
  }

  /// What is here is not the file.
  ///
  /// - Returns: whether to fetch all of it once more.
  mutating func wasWrong() -> Bool {
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
    // A weak one says that two files are as good as the same, not that one can go on with the other.
    entityTag = tag?.hasPrefix("\"") == true ? tag : nil
  }

  /// Whether `Content-Range` (RFC 9110, section 14.4) begins where what is here ends.
  private func isContinuation(_ field: String?) -> Bool {
    guard let match = field?.wholeMatch(of: /bytes (\d{1,18})-(\d{1,18})\/(\d{1,18}|\*)/) else { return false }
    return Int64(match.1) == receivedBytes && (match.3 == "*" || Int64(match.3) == size)
  }
}
