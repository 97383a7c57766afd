import Foundation

/// The files of one version of a product's content, ready to download.
public struct ContentDelivery: Hashable, Decodable, Sendable {
  public let id: String
  public let productId: String
  /// The purchase's claim, or the key of an operator's grant.
  public let source: String
  public let version: Int64
  public let files: [DeliveredFile]
}

/// A file of a delivery, with its bytes or a link to them.
public struct DeliveredFile: Hashable, Decodable, Sendable {
  /// The server's name of the file; never used in a path on the device.
  public let name: String
  /// The size in bytes.
  public let size: Int64
  /// 64 lower-case hexadecimal digits.
  public let sha256: String
  public let mediaType: String
  /// The bytes of the whole file; nil if there is a link.
  public let inline: Data?
  /// An address, absolute or relative to the server's address; nil if the bytes are inline.
  public let link: String?
  public let linkExpires: Date?
}
