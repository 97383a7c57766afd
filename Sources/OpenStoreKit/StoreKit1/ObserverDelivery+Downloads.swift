extension ObserverDelivery {
  /// Ends downloads, and notifies all observers.
  ///
  /// - Parameter passingOver: the states in which a download is not changed and not reported.
  func end(
    _ downloads: [SKDownload], as state: SKDownloadState, passingOver unaffected: Set<SKDownloadState> = []
  ) {
    // From here on, only the main queue accesses the downloads. Observers are called on the main queue.
    nonisolated(unsafe) let downloads = downloads
    onMain { queue in
      let ended = downloads.filter { !unaffected.contains($0.state) }
      guard !ended.isEmpty else { return }
      for download in ended { download.end(state, SKDownload.withdrawn) }
      for observer in queue.state.observers { observer.paymentQueue(queue, updatedDownloads: ended) }
    }
  }
}
