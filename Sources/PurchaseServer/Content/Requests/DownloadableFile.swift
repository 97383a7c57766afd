import HTTPTypes

/// A content file as a product offers it.
public struct DownloadableFile: Hashable, Sendable {
  public let digest: ContentDigest
  /// In bytes.
  public let size: Int64
  /// What the operator calls it. It is told to whoever downloads, and never part of a path here.
  public let name: String
  /// Such as `application/epub+zip`.
  public let mediaType: String

  public init(digest: ContentDigest, size: Int64, name: String, mediaType: String) {
    self.digest = digest
    self.size = size
    self.name = name
    self.mediaType = mediaType
  }

  /// The media type as a header can carry it; bytes of no known type for one that is not well-formed.
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
