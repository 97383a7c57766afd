import DurableSQLite
import Foundation

extension ContentLibrary {
  /// Records that a version is to be downloaded, unless its files are there.
  ///
  /// - Returns: whether there are files to download.
  func want(_ version: ContentVersion) throws -> Bool {
    let known = try records.product(version.productIdentifier)
    let isHere = known.current?.isSameContent(as: version) == true && version.files.allSatisfy(has)
    guard known.wanted != (isHere ? nil : version) || known.endReason != nil else { return !isHere }
    try records.update(version.productIdentifier) {
      $0.wanted = isHere ? nil : version
      $0.error = nil
      $0.endReason = nil
    }
    try sweep()
    return !isHere
  }

  /// Returns how much of a version is on the disk.
  func progress(of version: ContentVersion) -> DownloadProgress {
    let received = version.files.reduce(Int64(0)) { sum, file in
      let part = has(file) ? file.size : size(at: partURL(of: version.productIdentifier, file.digest)) ?? 0
      return sum + min(part, file.size)
    }
    return DownloadProgress(receivedBytes: received, totalBytes: version.size)
  }

  /// Adds a file whose digest was verified. The file is durable under its name when this returns.
  ///
  /// - Returns: false if the part was removed, because its product is no longer requested.
  func adopt(_ part: URL, as file: ContentVersion.File, of product: String) throws -> Bool {
    let isThere = try files.withLock { _ in
      // If the folder was deleted, it is made again, so that the downloaded file is not lost.
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

  /// Makes a version current, if all its files are there and it is still the requested one.
  func install(_ version: ContentVersion) throws {
    guard version.files.allSatisfy(has) else { return }
    try records.update(version.productIdentifier) {
      guard $0.wanted == version else { return }
      $0 = ContentRecords.Product(current: version)
    }
    try records.forgetFound(Set(version.files.map(\.digest.description)))
    // The old version could be opened until now, so its files are removed only after the new version is complete.
    try sweep()
  }

  /// Records that a product is no longer delivered, and removes its downloaded parts.
  func end(_ product: String, reason: String) throws {
    try records.update(product) {
      $0.wanted = nil
      $0.error = nil
      $0.endReason = reason
    }
    try sweep()
  }

  // MARK: Unused files

  /// Forgets which files were found without a record, and removes those that no product uses. Called after a restore,
  /// when every owned product has files or a request for them.
  func forgetFoundFiles() throws {
    try records.forgetFound()
    try sweep()
  }

  /// Removes files and parts that no record refers to.
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
      // An unreadable record may refer to any file. It is replaced when its product is next requested.
      let swept = try (areWhole ? contents(of: "files") : []) + contents(of: "partial")
      for url in swept where !names.contains(url.lastPathComponent) { try DurableFile.remove(url) }
    }
  }
}
