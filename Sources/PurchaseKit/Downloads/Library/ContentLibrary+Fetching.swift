import DurableSQLite
import Foundation

extension ContentLibrary {
  /// Puts on record what is to be fetched, unless it is here.
  ///
  /// - Returns: whether there is anything to fetch.
  func want(_ version: ContentVersion) throws -> Bool {
    let known = try records.product(version.productIdentifier)
    let isHere = known.current?.isSameContent(as: version) == true && version.files.allSatisfy(has)
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
    let isThere = try files.withLock { _ in
      // Somebody may have removed the folder; a file that came must not be asked for again for that.
      let files = folder.appending(path: "files")
      if !FileManager.default.fileExists(atPath: files.path) { try DurableFolder.make(files) }
      guard rename(part.path, url(of: file.digest).path) == 0 else {
        if errno == ENOENT { return false }
        throw ContentError(code: errno, at: part, disk)
      }
      try DurableFolder.sync(files)
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
    try records.forgetFound(Set(version.files.map(\.digest.description)))
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

  // MARK: What nobody refers to

  /// Files that were found without a record may go: everything that is owned was wanted since.
  func forgetFoundFiles() throws {
    try records.forgetFound()
    try sweep()
  }

  /// Removes the files and parts that nobody refers to.
  func sweep() throws {
    try files.withLock { _ in
      let (products, areWhole) = try records.allProducts()
      var names = try records.foundFiles()
      for (id, product) in products {
        for file in product.wanted?.files ?? [] {
          names.insert(partURL(of: id, file.digest).lastPathComponent)
          names.insert(file.digest.description)
        }
        for file in product.current?.files ?? [] { names.insert(file.digest.description) }
      }
      // A record that cannot be read may refer to any file; it can be read again when its product was wanted again.
      let swept = try (areWhole ? contents(of: "files") : []) + contents(of: "partial")
      for url in swept where !names.contains(url.lastPathComponent) { try DurableFile.remove(url) }
    }
  }
}
