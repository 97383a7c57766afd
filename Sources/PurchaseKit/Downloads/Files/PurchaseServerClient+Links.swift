import Foundation

extension PurchaseServerClient {
  /// Returns the addresses of a delivery's files.
  func links(of delivery: ContentDelivery) -> [FileDigest: URL] {
    var links: [FileDigest: URL] = [:]
    for file in delivery.files {
      if let digest = FileDigest(file.sha256), let link = file.link.flatMap(endpoints.link) { links[digest] = link }
    }
    return links
  }
}
