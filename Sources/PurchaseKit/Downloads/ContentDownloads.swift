import StoreKit

extension Notification.Name {
  /// Posted by ``ContentDownloads`` when the state of a product's files has changed, or another percent has come, on whatever
  /// thread that happened. The product is under ``ContentDownloads/productIdentifierKey``.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let ContentDownloadsChangedNotification = Notification.Name("ContentDownloadsChangedNotification")
}

/// Fetches the files of products from the developer's server into a ``ContentLibrary``, and goes on where it was after the
/// network, or the app, was gone. Documentation/downloads.md has every state.
public final class ContentDownloads: @unchecked Sendable {
  /// Where a notification has its product.
  public static let productIdentifierKey = "productIdentifier"

  public let library: ContentLibrary
  let server: PurchaseServerClient
  private let reachability: any Reachability
  private let clock: any Clock<Duration>
  private let notifications: NotificationCenter
  private let slots: DownloadSlots

  private struct Run {
    let number: Int
    let task: Task<Void, any Error>
    var progress = DownloadProgress(receivedBytes: 0, totalBytes: 0)
  }

  private let lock = NSLock()
  private var runs: [String: Run] = [:]
  private var lastNumber = 0
  /// Where the server last said that files are.
  private var links: [String: [FileDigest: URL]] = [:]

  /// - Parameters:
  ///   - library: where files go.
  ///   - server: where they come from.
  ///   - reachability: when what the network kept from coming is asked for again.
  ///   - atOnce: how many products may be downloading at the same time; at least 1.
  ///   - clock: measures how long a server wants to be left alone.
  ///   - notifications: where changes are posted.
  public init(
    library: ContentLibrary, server: PurchaseServerClient, reachability: any Reachability = ExponentialBackoff(),
    atOnce: Int = 2, clock: any Clock<Duration> = ContinuousClock(), notifications: NotificationCenter = .default
  ) {
    precondition(atOnce >= 1, "downloads need a place to go on")
    self.library = library
    self.server = server
    self.reachability = reachability
    self.clock = clock
    self.notifications = notifications
    slots = DownloadSlots(atOnce)
  }

  // MARK: What is known

  /// How a product's files are doing.
  public func state(of productIdentifier: String) throws -> ContentState {
    if let run = lock.withLock({ runs[productIdentifier] }) { return .downloading(run.progress) }
    let known = try library.records.product(productIdentifier)
    if let reason = known.endReason { return .ended(reason: reason) }
    if known.wanted != nil { return .waiting(known.trouble) }
    if let current = known.current { return .current(version: current.version) }
    return try library.records.redemption(of: productIdentifier) == nil ? .none : .waiting(nil)
  }

  // MARK: Fetching

  /// Puts on record that the files of a delivery are to be here, and takes those that came along.
  ///
  /// - Throws: ``ContentError``.
  public func want(_ delivery: ContentDelivery) throws {
    let version = try ContentVersion(delivery)
    defer { changed(version.productIdentifier) }
    guard try library.want(version) else { return }
    let isBeingFetched = lock.withLock {
      links[version.productIdentifier] = server.links(of: delivery)
      return runs[version.productIdentifier] != nil
    }
    // Whoever fetches it writes the same parts, and asks where its files are.
    if isBeingFetched { return }
    for (file, delivered) in zip(version.files, delivery.files) {
      // One that is not what it must be is fetched by a link.
      guard let inline = delivered.inline, FileDigest(of: inline) == file.digest, !library.has(file) else { continue }
      let url = library.partURL(of: version.productIdentifier, file.digest)
      let part = try PartFile(at: url, disk: library.disk)
      try part.empty()
      try part.write(inline)
      try part.sync()
      _ = try library.adopt(url, as: file, of: version.productIdentifier)
    }
  }

  /// Fetches what is wanted of a product, from where it was, and returns when its files can be opened. Asked for several times, it is
  /// fetched once.
  ///
  /// Cancelling the task does not end the download; ``stop(_:)`` does.
  ///
  /// - Parameter attempts: how many failures of the network in a row are too many; nil to go on until it is there.
  /// - Throws: ``ContentError``; it is on record, too. What has come is kept.
  public func download(_ productIdentifier: String, attempts: Int? = nil) async throws {
    try await run(productIdentifier, attempts).value
  }

  /// Begins to fetch everything that is wanted and was not fetched, as at launch. How that goes is told by notification.
  public func resumeWaiting() throws {
    for (id, product) in try library.records.products() where product.wanted != nil { _ = run(id, nil) }
  }

  /// Stops fetching a product; what has come stays.
  public func stop(_ productIdentifier: String) { lock.withLock { runs[productIdentifier] }?.task.cancel() }

  func patience(attempts: Int?) -> Patience {
    Patience(attempts: attempts, reachability: reachability, clock: clock)
  }

  private func run(_ product: String, _ attempts: Int?) -> Task<Void, any Error> {
    let (task, isNew) = lock.withLock {
      if let run = runs[product] { return (run.task, false) }
      lastNumber += 1
      let number = lastNumber
      let task = Task { try await self.perform(product, number, attempts) }
      runs[product] = Run(number: number, task: task)
      return (task, true)
    }
    if isNew { changed(product) }
    return task
  }

  private func perform(_ product: String, _ number: Int, _ attempts: Int?) async throws {
    let result: Result<Void, any Error>
    do {
      try await slots.enter()
      defer { slots.leave() }
      var fetch = ContentFetch(
        product: product, library: library, server: server, patience: patience(attempts: attempts),
        links: lock.withLock { links[product] } ?? [:], progressed: { self.progressed(product, $0) })
      try await fetch.run()
      result = Result { try self.conclude(product, nil) }
    } catch is CancellationError {
      result = .failure(ContentError.stopped(productIdentifier: product))
    } catch {
      result = .failure(error)
      // What went wrong with the disk may keep this from being put on record, too.
      try? conclude(product, error as? ContentError)
    }
    lock.withLock {
      runs[product] = nil
      links[product] = nil
    }
    changed(product)
    try result.get()
  }

  private func conclude(_ product: String, _ trouble: ContentError?) throws {
    let known = try library.records.product(product)
    if trouble == nil {
      if let reason = known.endReason {
        throw ContentError.deliveryEnded(productIdentifier: product, reason: reason)
      }
      guard known.current != nil else { throw ContentError.notDelivered(productIdentifier: product) }
    }
    if known.wanted != nil, known.trouble != trouble { try library.records.update(product) { $0.trouble = trouble } }
  }

  private func progressed(_ product: String, _ progress: DownloadProgress) {
    let isNews = lock.withLock {
      let old = runs[product]?.progress
      runs[product]?.progress = progress
      return old?.percent != progress.percent || old?.totalBytes != progress.totalBytes
    }
    if isNews { changed(product) }
  }

  func changed(_ product: String) {
    notifications.post(
      name: .ContentDownloadsChangedNotification, object: self, userInfo: [Self.productIdentifierKey: product])
  }
}
