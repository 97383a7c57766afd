import Foundation
import PurchaseKit

/// Notices when all files of a product have come.
final class SavedFiles: @unchecked Sendable {
  private let downloads: ContentDownloads
  private let steps: StepTeller
  private let lock = NSLock()
  private var coming: Set<String> = []

  init(downloads: ContentDownloads, steps: StepTeller) {
    self.downloads = downloads
    self.steps = steps
  }

  func changed(_ product: String) {
    // What cannot be read, the books' screen reports.
    guard let state = try? downloads.state(of: product) else { return }
    let isSaved = lock.withLock {
      if case .current = state { return coming.remove(product) != nil }
      if case .ended = state { coming.remove(product) } else { coming.insert(product) }
      return false
    }
    if isSaved { steps(.saved, product: product) }
  }
}
