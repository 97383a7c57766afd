import Foundation

/// One version of a product's files.
public struct ContentVersion: Hashable, Codable, Sendable {
  public let productIdentifier: String
  public let version: Int64
  /// The server's identifier of the delivery that the files belong to.
  public let deliveryIdentifier: String
  public let files: [File]

  /// A file of a version.
  public struct File: Hashable, Codable, Sendable {
    /// The server's name of the file; never used in a path.
    public let name: String
    /// The size in bytes.
    public let size: Int64
    public let digest: FileDigest
    public let mediaType: String
  }

  /// The size of all files, in bytes.
  public var size: Int64 { files.reduce(0) { $0 + $1.size } }

  /// Makes a version from a delivery.
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

  /// The maximum size of a file: a pebibyte, so that sums of sizes do not overflow.
  private static let largestFileBytes: Int64 = 1 << 50

  /// Whether both have the same version number and files. Their deliveries may differ.
  func isSameContent(as other: ContentVersion) -> Bool { version == other.version && files == other.files }
}
