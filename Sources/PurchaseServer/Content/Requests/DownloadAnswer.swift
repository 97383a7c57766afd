import HTTPTypes
import SignedData

/// The response to a request for a file, computed only from the request's method and header fields and from the file
/// (RFC 9110, section 13.2).
struct DownloadAnswer: Hashable, Sendable {
  let status: HTTPResponse.Status
  /// The header fields, including `Content-Length` if there is one.
  let fields: HTTPFields
  /// The range of the file that is sent; nil if no content is sent. A response to HEAD sends no content, although it
  /// has the `Content-Length` of the response to GET.
  let part: Range<Int64>?

  init(to method: HTTPRequest.Method, _ request: HTTPFields, file: DownloadableFile) {
    let tag = EntityTag(file.digest)
    if let field = request[.ifMatch], !EntityTagList(field: field).contains(tag.matchesStrongly) {
      self.init(.preconditionFailed, [.contentLength: "0"], file)
    } else if let field = request[.ifNoneMatch], EntityTagList(field: field).contains(tag.matchesWeakly) {
      self.init(.notModified, [:], file)
    } else {
      switch Self.range(of: method, request, tag, size: file.size) {
      case .unsatisfiable:
        self.init(
          .rangeNotSatisfiable, [.contentLength: "0", .contentRange: "bytes */\(file.size)", .acceptRanges: "bytes"],
          file)
      case .whole:
        self.init(.ok, Self.content(file, 0..<file.size), file, method == .head ? nil : 0..<file.size)
      case .part(let part):
        var fields = Self.content(file, part)
        fields[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(file.size)"
        self.init(.partialContent, fields, file, part)
      }
    }
  }

  private init(
    _ status: HTTPResponse.Status, _ fields: HTTPFields, _ file: DownloadableFile, _ part: Range<Int64>? = nil
  ) {
    self.status = status
    self.part = part
    var fields = fields
    fields[.eTag] = EntityTag(file.digest).description
    // The URL itself gives access to purchased content, so no cache or proxy may store or change the response.
    fields[.cacheControl] = "private, no-store, no-transform"
    self.fields = fields
  }

  /// Returns the range of the file to send. Only GET uses the `Range` field; other methods ignore it (RFC 9110,
  /// section 14.2).
  private static func range(
    of method: HTTPRequest.Method, _ request: HTTPFields, _ tag: EntityTag, size: Int64
  ) -> ByteRange.Resolved {
    guard method == .get, let field = request[.range], let range = ByteRange(field: field) else { return .whole }
    if let condition = request[.ifRange] {
      // A date never matches, because content has no date. Sending the whole file is safe; joining parts of two versions is not.
      guard let other = EntityTag(field: condition), other.matchesStrongly(tag) else { return .whole }
    }
    return range.resolved(size: size)
  }

  private static func content(_ file: DownloadableFile, _ part: Range<Int64>) -> HTTPFields {
    [
      .contentType: file.contentType,
      .contentLength: "\(part.upperBound - part.lowerBound)",
      .contentDisposition: ContentDisposition.attachment(file.name),
      .acceptRanges: "bytes",
      .xContentTypeOptions: "nosniff",
      // The digest of the whole file, even for a part of it (RFC 9530), so that a client can check a resumed download.
      .reprDigest: "sha-256=:\(Base64.text(file.digest.bytes, .standard)):",
    ]
  }
}

extension HTTPField.Name {
  static let reprDigest = HTTPField.Name("Repr-Digest")!
}
