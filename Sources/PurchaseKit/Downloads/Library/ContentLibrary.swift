import DurableSQLite
import Foundation

/// The files of the products a customer owns, on this device. What lies where, and when it is durable, is in
/// Documentation/downloads.md.
///
/// Whoever opens a product gets all files of one version or none: a file is here when its digest was found right, and a
/// version is current when all its files are here.
public final class ContentLibrary: Sendable {
  let records: ContentRecords
  let folder: URL
  let disk: ContentDisk
  /// What adds files and what sweeps them take turns.
  private let files = NSLock()

  /// Opens a library, or makes one. One process at a time can have it open.
  ///
  /// - Throws: `DurableSQLiteError` where it is in use, or the disk to blame.
  public convenience init(at folder: URL) throws { try self.init(at: folder, disk: .system) }

  init(at folder: URL, disk: ContentDisk) throws {
    self.folder = folder
    self.disk = disk
    records = try ContentRecords(at: folder.appending(path: "content.sqlite"))
    for name in ["files", "partial"] { try DurableFolder.make(folder.appending(path: name)) }
    // A name that whoever was killed gave and had not made durable is about to be relied on.
    try DurableFolder.sync(folder.appending(path: "files"))
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
    guard (try? PartFile.digest(of: url)) == file.digest else { throw try discard(file, of: version) }
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
    try files.withLock {
      try DurableFile.remove(url(of: file.digest))
      for (id, product) in try records.products() {
        guard let current = product.current, current.files.contains(where: { $0.digest == file.digest }) else {
          continue
        }
        try records.update(id) {
          $0.wanted = $0.wanted ?? current
          $0.current = nil
          $0.trouble = error
        }
      }
    }
    return error
  }

  // MARK: Making room

  /// Removes the files of a product, and what has come of them. They can be downloaded again.
  public func remove(_ productIdentifier: String) throws {
    try records.update(productIdentifier) { $0 = ContentRecords.Product() }
    try sweep()
  }

  /// Removes what has come of files that are not whole. Nothing may be downloading.
  public func removeParts() throws {
    try files.withLock {
      for url in try contents(of: "partial") { try DurableFile.remove(url) }
    }
  }

  // MARK: Fetching

  func url(of digest: FileDigest) -> URL { folder.appending(path: "files").appending(path: digest.description) }

  func partURL(of product: String, _ digest: FileDigest) -> URL {
    // Of the product too: two that share a file may fetch it at the same time.
    let product = FileDigest(of: Data(product.utf8))
    return folder.appending(path: "partial").appending(path: "\(product)-\(digest)")
  }

  func has(_ file: ContentVersion.File) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: url(of: file.digest).path)
    return (attributes?[.size] as? NSNumber)?.int64Value == file.size
  }

  /// Puts on record what is to be fetched, unless it is here.
  ///
  /// - Returns: whether there is anything to fetch.
  func want(_ version: ContentVersion) throws -> Bool {
    let known = try records.product(version.productIdentifier)
    let isHere = known.current?.isSameContent(as: version) == true
    guard known.wanted != (isHere ? nil : version) || known.endReason != nil else { return !isHere }
    try records.update(version.productIdentifier) {
      $0.wanted = isHere ? nil : version
      $0.trouble = nil
      $0.endReason = nil
    }
    try sweep()
    return !isHere
  }

  /// Takes in a file whose digest was found right: durable under its name when it returns.
  ///
  /// - Returns: false if the part is gone, because nobody wants it any more.
  func adopt(_ part: URL, as file: ContentVersion.File, of product: String) throws -> Bool {
    let isThere = try files.withLock {
      guard rename(part.path, url(of: file.digest).path) == 0 else {
        if errno == ENOENT { return false }
        throw ContentError.disk(reason: String(cString: strerror(errno)))
      }
      try DurableFolder.sync(folder.appending(path: "files"))
      return true
    }
    try records.removePart(of: product, file.digest)
    return isThere
  }

  /// Makes a version the current one, if all its files are here and it is still the one that is wanted.
  func install(_ version: ContentVersion) throws {
    guard version.files.allSatisfy(has) else { return }
    try records.update(version.productIdentifier) {
      guard $0.wanted == version else { return }
      $0 = ContentRecords.Product(current: version)
    }
    // Only now: until the new version was whole, the old one was what could be opened.
    try sweep()
  }

  /// Puts on record that a product is no longer delivered, and removes what has come of it.
  func end(_ product: String, reason: String) throws {
    try records.update(product) {
      $0.wanted = nil
      $0.trouble = nil
      $0.endReason = reason
    }
    try sweep()
  }

  /// Removes the files and parts that nobody refers to.
  private func sweep() throws {
    try files.withLock {
      let products = try records.products()
      var names: Set<String> = []
      for (id, product) in products {
        for file in product.wanted?.files ?? [] {
          names.insert(partURL(of: id, file.digest).lastPathComponent)
          names.insert(file.digest.description)
        }
        for file in product.current?.files ?? [] { names.insert(file.digest.description) }
      }
      for url in try contents(of: "files") + contents(of: "partial") where !names.contains(url.lastPathComponent) {
        try DurableFile.remove(url)
      }
    }
  }

  private func contents(of name: String) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: folder.appending(path: name), includingPropertiesForKeys: nil)
  }
}
