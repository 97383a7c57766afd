import HTTPTypes

/// A content file, with the name and type under which a product offers it.
public struct DownloadableFile: Hashable, Sendable {
  public let digest: ContentDigest
  /// The size in bytes.
  public let size: Int64
  /// The operator's name for the file, which is sent to the client. It is never part of a path on the server.
  public let name: String
  /// The media type, such as `application/epub+zip`.
  public let mediaType: String

  public init(digest: ContentDigest, size: Int64, name: String, mediaType: String) {
    self.digest = digest
    self.size = size
    self.name = name
    self.mediaType = mediaType
  }

  /// The media type for the header; `application/octet-stream` if it is not valid.
  var contentType: String {
    let parts = mediaType.prefix { $0 != ";" }.split(separator: "/", omittingEmptySubsequences: false)
    let isWellFormed =
      parts.count == 2 && parts.allSatisfy { HTTPField.Name(String($0.trimmed)) != nil }
      && HTTPField.isValidValue(mediaType) && mediaType.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    return isWellFormed ? mediaType : "application/octet-stream"
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    var rest = drop { $0 == " " }
    while rest.last == " " { rest = rest.dropLast() }
    return rest
  }
}
