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
