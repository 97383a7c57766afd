import Crypto
import Foundation
import Logging
import NIOCore
import PurchaseLedger
import StoreModel
import WebSupport

/// Adds files to responses: small files inline, large ones as links.
struct ContentPresenter: Sendable {
  let ledger: Ledger
  let content: any ContentStore
  let links: DownloadLinkSigner
  /// The maximum size of an inline file, in bytes.
  let inlineLimitBytes: Int64

  /// The maximum size of all inline files of a response, in bytes.
  private static let answerLimitBytes: Int64 = 4 << 20

  /// Returns a delivery with its files, for a response; nil if the product has no files.
  ///
  /// - Parameters:
  ///   - inlineBudget: the number of bytes that can still be added inline; nil for the maximum of a response. The size
  ///     of each inline file is subtracted.
  ///   - logger: the logger of the request.
  func view(of delivery: Delivery, inlineBudget: inout Int64?, _ logger: Logger) async throws -> DeliveryView? {
    guard let files = delivery.content else { return nil }
    var views: [DeliveredFileView] = []
    for file in files.files {
      guard let digest = ContentDigest(file.sha256) else {
        throw LedgerDatabaseError.unexpectedRow("the digest of a file is not one")
      }
      var inline: String?
      if file.size <= inlineLimitBytes, file.size <= inlineBudget ?? Self.answerLimitBytes {
        do {
          inline = try await bytes(of: digest, size: file.size).base64EncodedString()
          inlineBudget = (inlineBudget ?? Self.answerLimitBytes) - file.size
        } catch let error as ContentStoreError {
          // A missing file must not fail the whole response, because the purchase is already recorded. The client gets
          // a link to try later.
          logger.error(
            "Content could not be put into an answer", metadata: ["sha256": "\(digest)", "error": "\(error)"])
        }
      }
      let link =
        inline == nil ? links.link(to: digest, contentVersion: files.version, deliveryID: delivery.id) : nil
      views.append(
        DeliveredFileView(
          name: file.name, size: file.size, sha256: DigestText(rawValue: file.sha256), mediaType: file.mediaType,
          inline: inline,
          link: link.map { "v1/downloads/\(links.token(for: $0))" }, linkExpires: link?.expirationDate))
    }
    return DeliveryView(
      id: delivery.id.uuidString.lowercased(), productId: delivery.product, source: delivery.source,
      version: files.version, files: views)
  }

  private func bytes(of digest: ContentDigest, size: Int64) async throws -> Data {
    guard size > 0 else { return Data() }
    var data = Data(capacity: Int(size))
    for try await chunk in try await content.read(digest, 0..<size) { data.append(contentsOf: chunk.readableBytesView) }
    guard ContentDigest(SHA256.hash(data: data)) == digest else {
      throw ContentStoreError.damaged(digest, reason: "its bytes were changed")
    }
    return data
  }

  /// Returns the file of a link, or the reason why it cannot be downloaded.
  func status(of link: DownloadLink) async throws -> DownloadStatus {
    do {
      let file = try await ledger.file(
        of: link.deliveryID, version: link.contentVersion, sha256: link.digest.description)
      guard let file else { return .unknown }
      return .allowed(
        DownloadableFile(digest: link.digest, size: file.size, name: file.name, mediaType: file.mediaType))
    } catch LedgerError.deliveryEnded {
      return .ended(reason: LedgerError.deliveryEnded.description)
    } catch LedgerError.unknownDelivery {
      return .unknown
    }
  }
}
