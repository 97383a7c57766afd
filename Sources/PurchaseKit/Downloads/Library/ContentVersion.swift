import Foundation

/// One version of a product's files.
public struct ContentVersion: Hashable, Codable, Sendable {
  public let productIdentifier: String
  public let version: Int64
  /// The server's name for the delivery it is of.
  public let deliveryIdentifier: String
  public let files: [File]

  /// A file of a version.
  public struct File: Hashable, Codable, Sendable {
    /// What the server calls it; never part of a path.
    public let name: String
    /// In bytes.
    public let size: Int64
    public let digest: FileDigest
    public let mediaType: String
  }

  /// Of all files, in bytes.
  public var size: Int64 { files.reduce(0) { $0 + $1.size } }

  /// As a delivery has it.
  ///
  /// - Throws: ``ContentError/malformedDelivery(_:)``.
  public init(_ delivery: ContentDelivery) throws(ContentError) {
    productIdentifier = delivery.productId
    version = delivery.version
    deliveryIdentifier = delivery.id
    var files: [File] = []
    for file in delivery.files {
      guard let digest = FileDigest(file.sha256) else {
        throw .malformedDelivery("the digest of \(file.name) is no SHA-256")
      }
      guard (0...Self.largestFileBytes).contains(file.size) else {
        throw .malformedDelivery("\(file.name) has \(file.size) bytes")
      }
      files.append(File(name: file.name, size: file.size, digest: digest, mediaType: file.mediaType))
    }
    guard Set(files.map(\.name)).count == files.count else {
      throw .malformedDelivery("two files have one name")
    }
    self.files = files
  }

  /// A pebibyte: so that no sum of sizes overflows.
  private static let largestFileBytes: Int64 = 1 << 50

  /// Whether it is the same files under the same number, whichever delivery they are of.
  func isSameContent(as other: ContentVersion) -> Bool { version == other.version && files == other.files }
}
