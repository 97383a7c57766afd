import Foundation

/// What can be downloaded of a product: one version of its files.
public struct ContentDelivery: Hashable, Decodable, Sendable {
  public let id: String
  public let productId: String
  /// The purchase's claim, or the key of an operator's grant.
  public let source: String
  public let version: Int64
  public let files: [DeliveredFile]
}

/// A file of a delivery: its bytes, or a link to them.
public struct DeliveredFile: Hashable, Decodable, Sendable {
  /// What the server calls it; never part of a path here.
  public let name: String
  /// In bytes.
  public let size: Int64
  /// 64 lower-case hexadecimal digits.
  public let sha256: String
  public let mediaType: String
  /// The whole file.
  public let inline: Data?
  /// Relative to the server's address.
  public let link: String?
  public let linkExpires: Date?
}
