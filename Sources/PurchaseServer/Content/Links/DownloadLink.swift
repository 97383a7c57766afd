import Foundation
import StoreModel

/// What a download link opens, and until when.
public struct DownloadLink: Hashable, Sendable {
  /// The delivery that the link belongs to: when it ends, the link is dead.
  public let deliveryID: UUID
  /// Of the product's content.
  public let contentVersion: Int64
  /// The file.
  public let digest: ContentDigest
  /// The first instant at which the link no longer opens anything.
  public let expirationDate: StoreDate

  public init(deliveryID: UUID, contentVersion: Int64, digest: ContentDigest, expirationDate: StoreDate) {
    self.deliveryID = deliveryID
    self.contentVersion = contentVersion
    self.digest = digest
    self.expirationDate = expirationDate
  }
}
