extension ObserverDelivery {
  /// Ends downloads, and tells every observer of them.
  ///
  /// - Parameter passingOver: in which states a download stays as it is, and is not told of.
  func end(
    _ downloads: [SKDownload], as state: SKDownloadState, passingOver unaffected: Set<SKDownloadState> = []
  ) {
    // Only the queue that observers are called on touches them from here on.
    nonisolated(unsafe) let downloads = downloads
    onMain { queue in
      let ended = downloads.filter { !unaffected.contains($0.state) }
      guard !ended.isEmpty else { return }
      for download in ended { download.end(state, SKDownload.withdrawn) }
      for observer in queue.board.observers { observer.paymentQueue(queue, updatedDownloads: ended) }
    }
  }
}
