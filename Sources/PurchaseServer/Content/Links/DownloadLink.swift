import Foundation
import StoreModel

/// The content of a download link: the file, the delivery, and the expiration date.
public struct DownloadLink: Hashable, Sendable {
  /// The delivery. When it ends, the link becomes invalid.
  public let deliveryID: UUID
  /// The version of the product's files.
  public let contentVersion: Int64
  /// The digest of the file.
  public let digest: ContentDigest
  /// The first instant at which the link is no longer valid.
  public let expirationDate: StoreDate

  public init(deliveryID: UUID, contentVersion: Int64, digest: ContentDigest, expirationDate: StoreDate) {
    self.deliveryID = deliveryID
    self.contentVersion = contentVersion
    self.digest = digest
    self.expirationDate = expirationDate
  }
}

/// The binary format of a link: format number 1 (1 byte), delivery (16), version (8), digest (32), expiration date in UNIX
/// milliseconds (8). Numbers are big-endian.
extension DownloadLink {
  private static let format: UInt8 = 1
  static let byteCount = 1 + 16 + 8 + ContentDigest.byteCount + 8

  var encoded: [UInt8] {
    [Self.format] + withUnsafeBytes(of: deliveryID.uuid) { Array($0) } + Self.bytes(contentVersion) + digest.bytes
      + Self.bytes(expirationDate.millisecondsSince1970)
  }

  /// Returns nil unless `bytes` is in the format of ``encoded``.
  init?(encoded bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    guard bytes.count == Self.byteCount, bytes[0] == Self.format,
      let digest = ContentDigest(bytes: Array(bytes[25..<57]))
    else { return nil }
    var uuid = UUID().uuid
    withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes[1..<17]) }
    self.init(
      deliveryID: UUID(uuid: uuid), contentVersion: Self.number(bytes[17..<25]), digest: digest,
      expirationDate: StoreDate(millisecondsSince1970: Self.number(bytes[57...])))
  }

  private static func bytes(_ number: Int64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
    Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
  }
}

/// Thrown when a token is not a valid download link.
public enum DownloadLinkRefusal: DescribedError, Hashable, Sendable {
  /// The token does not have the format of a link.
  case malformed
  /// The token was not signed by any of the current keys.
  case forged
  /// The link expired at this date; or the date is so far ahead that the link was signed by a clock that was ahead.
  case expired(StoreDate)

  public var description: String {
    switch self {
    case .malformed: "This is no download link. Check that it was copied as a whole."
    case .forged: "This download link was not made here, or so long ago that its key is no longer in use."
    case .expired(let date): "This download link is not valid now (its end is \(date)). Redeem the purchase again."
    }
  }
}
