import Foundation
import HTTPTransport

/// Downloads a product's files until the requested version is installed; see Documentation/downloads.md.
struct ContentFetch {
  let product: String
  let library: ContentLibrary
  let server: PurchaseServerClient
  var retries: RetryBudget
  /// The links of the files, as the server last sent them.
  var links: [FileDigest: URL]
  /// Receives the progress of the whole version.
  let progressed: @Sendable (DownloadProgress) -> Void

  /// Thrown when another version was requested meanwhile.
  private struct OtherVersion: Error {}

  /// Returns when the requested version is installed, or when no version is requested any more.
  ///
  /// - Throws: ``ContentError``; `CancellationError`; errors of the key store and the identity.
  mutating func run() async throws {
    let product = product
    while let wanted = try await library.onDisk({ try $0.records.product(product).wanted }) {
      do {
        var before: Int64 = 0
        for file in wanted.files {
          let total = wanted.size
          try await fetch(file, of: wanted) { [progressed] in
            progressed(DownloadProgress(receivedBytes: before + $0, totalBytes: total))
          }
          before += file.size
          progressed(DownloadProgress(receivedBytes: before, totalBytes: total))
        }
        // Another version may be requested by now, so the loop reads the requested version again.
        try await library.onDisk { try $0.install(wanted) }
      } catch is OtherVersion {
        continue
      }
    }
  }

  // MARK: One file

  private mutating func fetch(
    _ file: ContentVersion.File, of version: ContentVersion, progressed: @escaping (Int64) -> Void
  ) async throws {
    guard !library.has(file) else { return }
    var (part, download) = try await openPart(file)
    while true {
      if download.isComplete {
        guard part.digest == file.digest else {
          try await restart(part, file, mayRetry: download.failedVerification())
          continue
        }
        let (whole, product) = (part, product)
        let isAdopted = try await library.onDisk { library in
          try whole.sync()
          return try library.adopt(library.partURL(of: product, file.digest), as: file, of: product)
        }
        guard isAdopted else { throw OtherVersion() }
        return
      }
      try checkFreeSpace(for: download)
      guard let link = links[file.digest] else {
        try await renewLinks(of: version)
        guard links[file.digest] != nil else {
          throw ContentError.unexpectedAnswer(file: file.name, reason: "the server gives no link to it")
        }
        download.renewedLink()
        continue
      }
      let receiver = receiver(of: file, version, download, part, progressed)
      do {
        try await server.download(HTTPCall("GET", link, fields: download.fields), to: receiver)
      } catch is PartReceiver.TooMuch {
        download = receiver.download
        try await restart(part, file, mayRetry: download.failedVerification())
        continue
      } catch let failure as HTTPFailure {
        if receiver.download.receivedBytes > download.receivedBytes { retries.succeeded() }
        download = receiver.download
        try await retries.wait(after: ContentError.network(reason: "\(failure)"), retryAfterSeconds: nil)
        continue
      }
      download = receiver.download
      try await proceed(with: &download, after: receiver, part, file, version)
    }
  }

  /// Continues after a response has ended.
  private mutating func proceed(
    with download: inout FileDownload, after receiver: PartReceiver, _ part: PartFile, _ file: ContentVersion.File,
    _ version: ContentVersion
  ) async throws {
    guard let meaning = receiver.meaning, let head = receiver.head else {
      throw ContentError.unexpectedAnswer(file: file.name, reason: "the server sent no answer")
    }
    let refusal = ServerRefusal(head, receiver.body)
    switch meaning {
    case .append, .restart:
      retries.succeeded()
      // The response is complete, but the file is not.
      if !download.isComplete { try await restart(part, file, mayRetry: download.failedVerification()) }
    case .renewLink:
      try await renewLinks(of: version)
      download.renewedLink()
    case .startOver:
      try await restart(part, file, mayRetry: true)
    case .forbidden where refusal.code == "deliveryEnded":
      throw try await ended(refusal.message)
    case .forbidden:
      throw ContentError.unexpectedAnswer(file: file.name, reason: refusal.message)
    case .again:
      let error = PurchaseServerError.refused(refusal)
      try await retries.wait(after: ContentError.server(error), retryAfterSeconds: error.retryAfterSeconds)
    case .unexpected(let reason):
      throw ContentError.unexpectedAnswer(file: file.name, reason: reason)
    }
  }

  private func receiver(
    of file: ContentVersion.File, _ version: ContentVersion, _ download: FileDownload, _ part: PartFile,
    _ progressed: @escaping (Int64) -> Void
  ) -> PartReceiver {
    let (records, product) = (library.records, product)
    return PartReceiver(
      download, part: part,
      restarted: { download in
        guard let tag = download.entityTag else { return try records.removePart(of: product, file.digest) }
        try records.keep(.init(productIdentifier: product, digest: file.digest, entityTag: tag))
      }, progressed: progressed)
  }

  // MARK: The part

  /// Opens the part of a file, and hashes its content. A part that cannot be continued is emptied.
  private func openPart(_ file: ContentVersion.File) async throws -> (PartFile, FileDownload) {
    let product = product
    return try await library.onDisk { library in
      let part = try PartFile(at: library.partURL(of: product, file.digest), disk: library.disk)
      let known = try library.records.part(of: product, file.digest)
      guard let known, part.size > 0, part.size <= file.size else {
        try part.empty()
        return (part, FileDownload(size: file.size))
      }
      return (part, FileDownload(size: file.size, part: (part.size, known.entityTag)))
    }
  }

  private func restart(_ part: PartFile, _ file: ContentVersion.File, mayRetry: Bool) async throws {
    let product = product
    try await library.onDisk { library in
      try part.empty()
      try library.records.removePart(of: product, file.digest)
    }
    if !mayRetry { throw ContentError.wrongDigest(file: file.name) }
  }

  private func checkFreeSpace(for download: FileDownload) throws {
    let needed = download.size - download.receivedBytes + ContentDisk.spareBytes
    guard let free = library.disk.freeBytes(library.folder), free < needed else { return }
    throw ContentError.diskFull(neededBytes: needed, freeBytes: free)
  }

  // MARK: Links

  /// Requests new links. Throws ``OtherVersion`` if the server now delivers another version.
  private mutating func renewLinks(of version: ContentVersion) async throws {
    let (server, product) = (server, product)
    // Released, so that other downloads can run meanwhile.
    retries.permit?.release()
    let deliveries: [ContentDelivery]
    do {
      deliveries = try await retries.request { try await server.deliveries() }
    } catch let error as PurchaseServerError {
      throw ContentError.server(error)
    }
    try await retries.permit?.acquire()
    let ofProduct = deliveries.filter { $0.productId == product }
    guard let delivery = ofProduct.first(where: { $0.id == version.deliveryIdentifier }) ?? ofProduct.first else {
      throw try await ended("the server has no delivery of it for you any more")
    }
    links = server.links(of: delivery)
    let newest = try ContentVersion(delivery)
    guard newest != version else { return }
    _ = try await library.onDisk { try $0.want(newest) }
    throw OtherVersion()
  }

  private func ended(_ reason: String) async throws -> ContentError {
    let product = product
    try await library.onDisk { try $0.end(product, reason: reason) }
    return .deliveryEnded(productIdentifier: product, reason: reason)
  }
}
