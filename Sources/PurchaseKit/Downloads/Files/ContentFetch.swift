import Foundation
import HTTPTransport

/// One run that fetches what is wanted of a product: Documentation/downloads.md.
struct ContentFetch {
  let product: String
  let library: ContentLibrary
  let server: PurchaseServerClient
  var retries: RetryBudget
  /// What the server last said where each file is.
  var links: [FileDigest: URL]
  /// Told how much of the version is here, and how much there is.
  let progressed: @Sendable (DownloadProgress) -> Void

  /// Another version is wanted by now.
  private struct OtherVersion: Error {}

  /// Returns when nothing is wanted any more.
  ///
  /// - Throws: ``ContentError``; `CancellationError`; what the app's own parts (the key store, the identity) threw.
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
        // What is wanted may be another version by now, and is looked up again.
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
          try await beginAnew(part, file, isWorthIt: download.wasWrong())
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
      try checkRoom(for: download)
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
        try await beginAnew(part, file, isWorthIt: download.wasWrong())
        continue
      } catch let failure as HTTPFailure {
        if receiver.download.receivedBytes > download.receivedBytes { retries.succeeded() }
        download = receiver.download
        try await retries.wait(after: ContentError.network(reason: "\(failure)"), retryAfterSeconds: nil)
        continue
      }
      download = receiver.download
      try await go(on: &download, after: receiver, part, file, version)
    }
  }

  /// What the end of an answer means.
  private mutating func go(
    on download: inout FileDownload, after receiver: PartReceiver, _ part: PartFile, _ file: ContentVersion.File,
    _ version: ContentVersion
  ) async throws {
    guard let meaning = receiver.meaning, let head = receiver.head else {
      throw ContentError.unexpectedAnswer(file: file.name, reason: "the server says nothing")
    }
    let refusal = ServerRefusal(head, receiver.body)
    switch meaning {
    case .append, .restart:
      retries.succeeded()
      // Whole as an answer, and not as a file.
      if !download.isComplete { try await beginAnew(part, file, isWorthIt: download.wasWrong()) }
    case .renewLink:
      try await renewLinks(of: version)
      download.renewedLink()
    case .startOver:
      try await beginAnew(part, file, isWorthIt: true)
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

  /// What is here of a file, and hashed; nothing where it is of no use.
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

  private func beginAnew(_ part: PartFile, _ file: ContentVersion.File, isWorthIt: Bool) async throws {
    let product = product
    try await library.onDisk { library in
      try part.empty()
      try library.records.removePart(of: product, file.digest)
    }
    if !isWorthIt { throw ContentError.wrongDigest(file: file.name) }
  }

  private func checkRoom(for download: FileDownload) throws {
    let needed = download.size - download.receivedBytes + ContentDisk.spareBytes
    guard let free = library.disk.freeBytes(library.folder), free < needed else { return }
    throw ContentError.diskFull(neededBytes: needed, freeBytes: free)
  }

  // MARK: Links

  /// Asks for new links.
  private mutating func renewLinks(of version: ContentVersion) async throws {
    let (server, product) = (server, product)
    // Others may fetch files meanwhile.
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
