import StoreKit
import StoreModel

extension Notification.Name {
  /// Posted by ``ContentDownloads`` when the state or the percentage of a product's download has changed, on any thread. The
  /// product is under ``ContentDownloads/productIdentifierKey``.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let ContentDownloadsChangedNotification = Notification.Name("ContentDownloadsChangedNotification")
}

/// Downloads products' files from the developer's server into a ``ContentLibrary``. A download continues after the network
/// was lost, or the app was closed. Documentation/downloads.md describes all states.
public final class ContentDownloads: Sendable {
  /// The key of a notification's product identifier.
  public static let productIdentifierKey = "productIdentifier"

  public let library: ContentLibrary
  let server: PurchaseServerClient
  private let retry: any RetrySchedule
  private let clock: any MachineClock
  private let notifications: NotificationCenter
  private let semaphore: Semaphore

  private struct State: Sendable {
    /// The latest download of each product, until it ends.
    var runs: [String: Run] = [:]
    /// The links that the server last sent, by product and file.
    var links: [String: [FileDigest: URL]] = [:]
  }

  /// A download of a product's files, from the request to its end.
  private struct Run: Sendable {
    let waiters = Waiters()
    var task: Task<Void, Never>?
    var progress = DownloadProgress(receivedBytes: 0, totalBytes: 0)

    func stop() {
      waiters.shut()
      task?.cancel()
    }
  }

  private let state = LockedValue(State())

  /// - Parameters:
  ///   - library: stores the files.
  ///   - server: delivers the files.
  ///   - retry: decides when a failed request is made again.
  ///   - atOnce: the maximum number of products that download at the same time, not counting those that wait for the
  ///     network; at least 1.
  ///   - clock: measures the pauses that a server asks for.
  ///   - notifications: posts the notifications.
  public init(
    library: ContentLibrary, server: PurchaseServerClient, retry: any RetrySchedule = TimedRetry(.upToHalfAMinute),
    atOnce: Int = 2, clock: any MachineClock = SystemClock(), notifications: NotificationCenter = .default
  ) {
    precondition(atOnce >= 1, "downloads need at least one permit")
    self.library = library
    self.server = server
    self.retry = retry
    self.clock = clock
    self.notifications = notifications
    semaphore = Semaphore(atOnce)
  }

  // MARK: State

  /// Returns the state of a product's files.
  public func state(of productIdentifier: String) throws -> ContentState {
    if let progress = state.withLock({ $0.runs[productIdentifier]?.progress }) { return .downloading(progress) }
    let known = try library.records.product(productIdentifier)
    if let reason = known.endReason { return .ended(reason: reason) }
    if known.isPaused, let wanted = known.wanted { return .paused(library.progress(of: wanted)) }
    if known.wanted != nil || known.error != nil { return .waiting(known.error) }
    if let current = known.current { return .current(version: current.version) }
    return try library.records.redemption(of: productIdentifier) == nil ? .none : .waiting(nil)
  }

  // MARK: Downloading

  /// Records that the files of a delivery are to be downloaded, and stores those that the delivery contains.
  ///
  /// - Throws: ``ContentError``.
  public func want(_ delivery: ContentDelivery) throws {
    let version = try ContentVersion(delivery)
    defer { changed(version.productIdentifier) }
    guard try library.want(version) else { return }
    let isBeingFetched = state.withLock { state in
      state.links[version.productIdentifier] = server.links(of: delivery)
      return state.runs[version.productIdentifier] != nil
    }
    // The running download writes the same parts, and requests the links itself.
    if isBeingFetched { return }
    for (file, delivered) in zip(version.files, delivery.files) {
      // An inline file with a wrong digest is downloaded by its link.
      guard let inline = delivered.inline, FileDigest(of: inline) == file.digest, !library.has(file) else { continue }
      let url = library.partURL(of: version.productIdentifier, file.digest)
      let part = try PartFile(at: url, disk: library.disk)
      try part.empty()
      try part.write(inline)
      try part.sync()
      _ = try library.adopt(url, as: file, of: version.productIdentifier)
    }
  }

  /// Downloads the requested files of a product, continues earlier downloads, and returns when the files can be opened.
  /// Concurrent calls for one product share one download.
  ///
  /// Cancelling the task does not end the download; ``stop(_:)`` does.
  ///
  /// - Parameter attempts: the number of network failures in a row, from now on, after which this call gives up; nil to wait
  ///   until the files are there. The download continues for other callers.
  /// - Throws: ``ContentError``. If no other caller waits, the download ends, and its error is recorded. The downloaded
  ///   bytes are kept.
  public func download(_ productIdentifier: String, attempts: Int? = nil) async throws {
    try await endPause(productIdentifier)
    try await withCheckedThrowingContinuation { join(productIdentifier, attempts, $0) }
  }

  /// Starts to download all requested files that are not there and not paused, for instance at launch. Notifications
  /// report the progress.
  public func resumeWaiting() throws {
    for (id, product) in try library.records.products() where product.wanted != nil && !product.isPaused {
      join(id, nil, nil)
    }
  }

  /// Pauses the download of a product, for a customer who chose that. The pause is durable, and the downloaded bytes are
  /// kept. Only ``download(_:attempts:)`` and ``endPause(_:)`` end it.
  ///
  /// Does nothing if no files are to be downloaded.
  ///
  /// - Throws: ``ContentError``; the download is stopped nevertheless.
  public func pause(_ productIdentifier: String) async throws {
    defer {
      stop(productIdentifier)
      changed(productIdentifier)
    }
    try await setPaused(true, productIdentifier)
  }

  /// Ends a pause without a download. An app calls it before ``InAppPurchaseManager/deliverKept()``, which delivers a paid
  /// purchase whose download is not paused.
  ///
  /// - Throws: ``ContentError``.
  public func endPause(_ productIdentifier: String) async throws { try await setPaused(false, productIdentifier) }

  private func setPaused(_ isPaused: Bool, _ product: String) async throws {
    do {
      try await library.onDisk { library in
        let known = try library.records.product(product)
        guard known.isPaused != isPaused, known.wanted != nil else { return }
        try library.records.update(product) { $0.isPaused = isPaused }
      }
    } catch {
      throw ContentError(error)
    }
  }

  /// Stops the download of a product, for instance because the customer no longer owns it. The downloaded bytes are kept,
  /// and a later call continues.
  public func stop(_ productIdentifier: String) {
    state.withLock { $0.runs[productIdentifier]?.stop() }
  }

  /// Stops all downloads, for instance when the customer signs out or asks for erasure. Returns when no download writes any
  /// more. The downloaded bytes are kept.
  public func stopAll() async {
    let tasks = state.withLock { state in
      for run in state.runs.values { run.stop() }
      return state.runs.values.compactMap(\.task)
    }
    for task in tasks { await task.value }
  }

  func retries(attempts: Int?, permit: Permit? = nil) -> RetryBudget {
    RetryBudget(attempts: attempts, retry: retry, clock: clock, permit: permit)
  }

  /// The number of tasks that wait for a product's download.
  func waiters(of productIdentifier: String) -> Int {
    state.withLock { $0.runs[productIdentifier] }?.waiters.count ?? 0
  }

  private func join(_ product: String, _ attempts: Int?, _ continuation: CheckedContinuation<Void, any Error>?) {
    let isNew = state.withLock { state in
      let before = state.runs[product]
      if let before, before.waiters.join(attempts: attempts, continuation) { return false }
      // A download that is about to end accepts no waiters: its result does not answer this request.
      var run = Run()
      let waiters = run.waiters
      _ = waiters.join(attempts: attempts, continuation)
      run.task = Task { [last = before?.task] in
        await last?.value
        await self.perform(product, waiters)
      }
      state.runs[product] = run
      return true
    }
    if isNew { changed(product) }
  }

  private func perform(_ product: String, _ waiters: Waiters) async {
    let result: Result<Void, any Error>
    do {
      try await fetch(product, waiters)
      try await conclude(product)
      result = .success(())
    } catch is CancellationError {
      result = .failure(ContentError.stopped(productIdentifier: product))
    } catch {
      let contentError = ContentError(error)
      result = .failure(contentError)
      // A disk error may also prevent the app from recording the error. The callers receive the error nevertheless.
      try? await keep(contentError, product)
    }
    waiters.shut()
    state.withLock { state in
      guard state.runs[product]?.waiters === waiters else { return }
      state.runs[product] = nil
      state.links[product] = nil
    }
    changed(product)
    waiters.end(result)
  }

  private func fetch(_ product: String, _ waiters: Waiters) async throws {
    let permit = Permit(semaphore)
    defer { permit.release() }
    try await permit.acquire()
    var fetch = ContentFetch(
      product: product, library: library, server: server,
      retries: RetryBudget(waiters: waiters, retry: retry, clock: clock, permit: permit),
      links: state.withLock { $0.links[product] } ?? [:], progressed: { self.progressed(product, $0) })
    try await fetch.run()
    waiters.shut()
    // Another version may have been requested before ``Waiters/shut()`` took effect. The second run downloads it.
    try await fetch.run()
  }

  /// Checks the result of a download that did not throw.
  private func conclude(_ product: String) async throws {
    try await library.onDisk { library in
      let known = try library.records.product(product)
      if let reason = known.endReason {
        throw ContentError.deliveryEnded(productIdentifier: product, reason: reason)
      }
      guard known.current != nil else { throw ContentError.notDelivered(productIdentifier: product) }
      if known.wanted != nil, known.error != nil { try library.records.update(product) { $0.error = nil } }
    }
  }

  /// Records why a download failed.
  private func keep(_ error: ContentError, _ product: String) async throws {
    try await library.onDisk { library in
      let known = try library.records.product(product)
      if known.wanted != nil, known.error != error { try library.records.update(product) { $0.error = error } }
    }
  }

  private func progressed(_ product: String, _ progress: DownloadProgress) {
    let isNews = state.withLock { state in
      let old = state.runs[product]?.progress
      state.runs[product]?.progress = progress
      return old?.percent != progress.percent || old?.totalBytes != progress.totalBytes
    }
    if isNews { changed(product) }
  }

  func changed(_ product: String) {
    notifications.post(
      name: .ContentDownloadsChangedNotification, object: self, userInfo: [Self.productIdentifierKey: product])
  }
}
