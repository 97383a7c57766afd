import DurableSQLite
import Foundation
import StoreModel

/// The files of the customer's products, on this device. Documentation/downloads.md describes the folders and when they are
/// durable.
///
/// A product is opened with all files of one version, or not at all. A file is added when its digest is right, and a version
/// becomes current when all its files are there.
public final class ContentLibrary: Sendable {
  let records: ContentRecords
  let folder: URL
  let disk: ContentDisk
  /// Locked while files are added, and while files or parts are removed.
  let files = LockedValue(())

  /// Opens or creates a library. Only one process can have it open.
  ///
  /// - Throws: `DurableSQLiteError` if the library is in use or the disk fails;
  ///   ``ContentError/diskFull(neededBytes:freeBytes:)``.
  public convenience init(at folder: URL) throws { try self.init(at: folder, disk: .system) }

  init(at folder: URL, disk: ContentDisk) throws {
    self.folder = folder
    self.disk = disk
    records = try ContentRecords(at: folder.appending(path: "content.sqlite"), disk: disk)
    for name in ["files", "partial"] { try DurableFolder.make(folder.appending(path: name)) }
    // A killed process may have added a file without syncing the folder.
    try DurableFolder.sync(folder.appending(path: "files"))
    if try records.areFoundFilesDue {
      // The existing files are recorded before the sweep, which removes files without a record. If new records have
      // replaced damaged ones, these files may belong to the damaged records.
      try records.keepFound(contents(of: "files").map(\.lastPathComponent))
    }
    try requestMissing()
    try sweep()
  }

  /// Closes the library and releases its folder.
  public func close() throws { try records.close() }

  // MARK: Reading

  /// Returns the version whose files can be opened; nil if there is none.
  public func current(of productIdentifier: String) throws -> ContentVersion? {
    try records.product(productIdentifier).current
  }

  /// Returns the content of a file, after its digest was verified.
  ///
  /// - Throws: ``ContentError``: `notDelivered`, `noSuchFile`, `disk`, or `damaged` if the file was changed or removed on
  ///   this device. The product must then be downloaded again.
  public func data(named name: String, in productIdentifier: String) throws -> Data {
    let (version, file) = try find(name, productIdentifier)
    let data: Data
    do {
      data = try Data(contentsOf: url(of: file.digest))
    } catch CocoaError.fileReadNoSuchFile {
      throw try discard(file, of: version)
    } catch {
      // A file that cannot be read now may be intact, so it is not removed as damaged.
      throw ContentError.disk(reason: error.localizedDescription)
    }
    guard FileDigest(of: data) == file.digest else { throw try discard(file, of: version) }
    return data
  }

  /// Returns the address of a file, after its digest was verified. Use it for files that are too large for memory. The
  /// file must only be read, and has no extension.
  ///
  /// - Throws: the errors of ``data(named:in:)``.
  public func verifiedFile(named name: String, in productIdentifier: String) throws -> URL {
    let (version, file) = try find(name, productIdentifier)
    let url = url(of: file.digest)
    // If the file cannot be read now, this throws, and the file is not removed as damaged.
    guard try PartFile.digest(of: url) == file.digest else { throw try discard(file, of: version) }
    return url
  }

  private func find(_ name: String, _ product: String) throws -> (ContentVersion, ContentVersion.File) {
    guard let version = try current(of: product) else { throw ContentError.notDelivered(productIdentifier: product) }
    guard let file = version.files.first(where: { $0.name == name }) else { throw ContentError.noSuchFile(name) }
    return (version, file)
  }

  /// Removes a damaged file, and marks the products that contain it for a new download.
  ///
  /// - Returns: the error for the caller to throw.
  private func discard(_ file: ContentVersion.File, of version: ContentVersion) throws -> ContentError {
    let error = ContentError.damaged(file: file.name)
    try files.withLock { _ in
      try DurableFile.remove(url(of: file.digest))
      try wantAgain(error) { $0.files.contains { $0.digest == file.digest } }
    }
    return error
  }

  /// Marks products with missing files for a new download.
  private func requestMissing() throws {
    for product in try records.products().values {
      guard let current = product.current, let file = current.files.first(where: isMissing) else { continue }
      try wantAgain(.damaged(file: file.name)) { $0 == current }
    }
  }

  private func wantAgain(_ error: ContentError, where isConcerned: (ContentVersion) -> Bool) throws {
    for (id, product) in try records.products() {
      guard let current = product.current, isConcerned(current) else { continue }
      try records.update(id) {
        $0.wanted = $0.wanted ?? current
        $0.current = nil
        $0.error = error
      }
    }
  }

  // MARK: Removing

  /// Removes a product's files and parts. They can be downloaded again.
  public func remove(_ productIdentifier: String) throws {
    try records.update(productIdentifier) { $0 = ContentRecords.Product() }
    try sweep()
  }

  /// Removes all partly downloaded files. Must not be called during a download.
  public func removeParts() throws {
    try files.withLock { _ in
      for url in try contents(of: "partial") { try DurableFile.remove(url) }
    }
  }

  /// Runs a disk operation on its own thread, because it would block a thread of Swift's concurrency pool.
  func onDisk<Value: Sendable>(
    _ work: @escaping @Sendable (ContentLibrary) throws -> Value
  ) async throws -> Value {
    try await DiskThread.run { try work(self) }
  }

  // MARK: Addresses

  func url(of digest: FileDigest) -> URL { folder.appending(path: "files").appending(path: digest.description) }

  func partURL(of product: String, _ digest: FileDigest) -> URL {
    // The name contains the product, because two products that share a file may download it at the same time.
    let product = FileDigest(of: Data(product.utf8))
    return folder.appending(path: "partial").appending(path: "\(product)-\(digest)")
  }

  func has(_ file: ContentVersion.File) -> Bool { size(of: file) == file.size }

  /// Whether a file is certainly missing, or has the wrong size. False if the file cannot be examined now.
  private func isMissing(_ file: ContentVersion.File) -> Bool {
    guard let size = size(of: file) else { return errno == ENOENT }
    return size != file.size
  }

  /// Returns the size in bytes; nil if it is not known, with the reason in `errno`.
  private func size(of file: ContentVersion.File) -> Int64? { size(at: url(of: file.digest)) }

  /// Returns the size in bytes; nil if it is not known, with the reason in `errno`.
  func size(at url: URL) -> Int64? {
    var status = stat()
    guard stat(url.path, &status) == 0 else { return nil }
    return Int64(status.st_size)
  }

  func contents(of name: String) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: folder.appending(path: name), includingPropertiesForKeys: nil)
  }
}
