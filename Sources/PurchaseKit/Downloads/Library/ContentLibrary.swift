import DurableSQLite
import Foundation
import StoreModel

/// The files of the products a customer owns, on this device. What lies where, and when it is durable, is in
/// Documentation/downloads.md.
///
/// Whoever opens a product gets all files of one version or none: a file is here when its digest was found right, and a
/// version is current when all its files are here.
public final class ContentLibrary: Sendable {
  let records: ContentRecords
  let folder: URL
  let disk: ContentDisk
  /// Held while files are added, and while files or parts are removed.
  let files = LockedValue(())

  /// Opens a library, or makes one. One process at a time can have it open.
  ///
  /// - Throws: `DurableSQLiteError` where it is in use, or the disk to blame; ``ContentError/diskFull(neededBytes:freeBytes:)``.
  public convenience init(at folder: URL) throws { try self.init(at: folder, disk: .system) }

  init(at folder: URL, disk: ContentDisk) throws {
    self.folder = folder
    self.disk = disk
    records = try ContentRecords(at: folder.appending(path: "content.sqlite"), disk: disk)
    for name in ["files", "partial"] { try DurableFolder.make(folder.appending(path: name)) }
    // A name that whoever was killed gave and had not made durable is about to be relied on.
    try DurableFolder.sync(folder.appending(path: "files"))
    if try records.areFoundFilesDue {
      // Before anything is swept: beside records that are new these are the files of those that were damaged.
      try records.keepFound(contents(of: "files").map(\.lastPathComponent))
    }
    try noticeMissing()
    try sweep()
  }

  /// Gives the folder free.
  public func close() throws { try records.close() }

  // MARK: What is here

  /// The version whose files can be opened; nil where there is none.
  public func current(of productIdentifier: String) throws -> ContentVersion? {
    try records.product(productIdentifier).current
  }

  /// The content of a file, which has been found to be what it must be.
  ///
  /// - Throws: ``ContentError``: `notDelivered`, `noSuchFile`, or `damaged`: it was changed on this device, and the product is to be
  ///   downloaded again.
  public func data(named name: String, in productIdentifier: String) throws -> Data {
    let (version, file) = try find(name, productIdentifier)
    let data: Data
    do {
      data = try Data(contentsOf: url(of: file.digest))
    } catch CocoaError.fileReadNoSuchFile {
      throw try discard(file, of: version)
    } catch {
      // What cannot be read just now is not taken for damaged: it would be thrown away.
      throw ContentError.disk(reason: error.localizedDescription)
    }
    guard FileDigest(of: data) == file.digest else { throw try discard(file, of: version) }
    return data
  }

  /// Where a file is, which has been found to be what it must be: for what is too large for memory. It is to be read
  /// only, and has no extension.
  ///
  /// - Throws: as ``data(named:in:)``.
  public func verifiedFile(named name: String, in productIdentifier: String) throws -> URL {
    let (version, file) = try find(name, productIdentifier)
    let url = url(of: file.digest)
    // What cannot be read just now throws, and is not taken for damaged.
    guard try PartFile.digest(of: url) == file.digest else { throw try discard(file, of: version) }
    return url
  }

  private func find(_ name: String, _ product: String) throws -> (ContentVersion, ContentVersion.File) {
    guard let version = try current(of: product) else { throw ContentError.notDelivered(productIdentifier: product) }
    guard let file = version.files.first(where: { $0.name == name }) else { throw ContentError.noSuchFile(name) }
    return (version, file)
  }

  /// A file that is not what it must be goes; its product is wanted again.
  private func discard(_ file: ContentVersion.File, of version: ContentVersion) throws -> ContentError {
    let error = ContentError.damaged(file: file.name)
    try files.withLock { _ in
      try DurableFile.remove(url(of: file.digest))
      try wantAgain(error) { $0.files.contains { $0.digest == file.digest } }
    }
    return error
  }

  /// What is current and whose files are not all here is wanted again.
  private func noticeMissing() throws {
    for product in try records.products().values {
      guard let current = product.current, let file = current.files.first(where: isMissing) else { continue }
      try wantAgain(.damaged(file: file.name)) { $0 == current }
    }
  }

  private func wantAgain(_ trouble: ContentError, where isConcerned: (ContentVersion) -> Bool) throws {
    for (id, product) in try records.products() {
      guard let current = product.current, isConcerned(current) else { continue }
      try records.update(id) {
        $0.wanted = $0.wanted ?? current
        $0.current = nil
        $0.trouble = trouble
      }
    }
  }

  // MARK: Making room

  /// Removes the files of a product, and what has come of them. They can be downloaded again.
  public func remove(_ productIdentifier: String) throws {
    try records.update(productIdentifier) { $0 = ContentRecords.Product() }
    try sweep()
  }

  /// Removes what has come of files that are not whole. Nothing may be downloading.
  public func removeParts() throws {
    try files.withLock { _ in
      for url in try contents(of: "partial") { try DurableFile.remove(url) }
    }
  }

  /// Does what waits for the disk without keeping a thread of Swift's from others.
  func onDisk<Value: Sendable>(
    _ work: @escaping @Sendable (ContentLibrary) throws -> Value
  ) async throws -> Value {
    try await DiskThread.run { try work(self) }
  }

  // MARK: Where files are

  func url(of digest: FileDigest) -> URL { folder.appending(path: "files").appending(path: digest.description) }

  func partURL(of product: String, _ digest: FileDigest) -> URL {
    // Of the product too: two that share a file may fetch it at the same time.
    let product = FileDigest(of: Data(product.utf8))
    return folder.appending(path: "partial").appending(path: "\(product)-\(digest)")
  }

  func has(_ file: ContentVersion.File) -> Bool { size(of: file) == file.size }

  /// Whether it is certain that a file is not here: one that cannot be looked at just now may be.
  private func isMissing(_ file: ContentVersion.File) -> Bool {
    guard let size = size(of: file) else { return errno == ENOENT }
    return size != file.size
  }

  /// In bytes; nil where `errno` says why it is not known.
  private func size(of file: ContentVersion.File) -> Int64? {
    var status = stat()
    guard stat(url(of: file.digest).path, &status) == 0 else { return nil }
    return Int64(status.st_size)
  }

  func contents(of name: String) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: folder.appending(path: name), includingPropertiesForKeys: nil)
  }
}
