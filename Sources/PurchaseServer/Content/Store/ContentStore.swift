import NIOCore

/// A store for the content files of products.
///
/// Each file is identified only by the SHA-256 of its content. File names and product ids never become paths. Equal content is
/// stored once, and a digest always means the same bytes. So servers that share a store need no lock to read it, and a client
/// may read two ranges of a file from two servers.
public protocol ContentStore: Sendable {
  /// Stores a file. When this returns, the file is durable and visible to all servers.
  ///
  /// - Parameters:
  ///   - upload: The file's bytes, in order. The file is not held in memory.
  ///   - limitBytes: The maximum size in bytes.
  ///   - expectation: The size and digest that the sender has announced. Some sequences end without an error when an
  ///     upload is interrupted. Then only these values show that the upload is incomplete.
  /// - Throws: ``ContentStoreError``, or the error of the upload. The file is then not stored.
  func publish<Upload: AsyncSequence & Sendable>(
    _ upload: Upload, limitBytes: Int64, expecting expectation: ContentExpectation
  ) async throws -> StoredContent where Upload.Element == ByteBuffer

  /// Returns the size of a file in bytes; nil if it does not exist.
  ///
  /// - Throws: ``ContentStoreError``.
  func size(of digest: ContentDigest) async throws -> Int64?

  /// Gives an existing file the current date. A sweep then keeps the file for a whole grace period. In this time, the
  /// caller can record a reference to the file.
  ///
  /// - Returns: the size in bytes; nil if the file does not exist.
  /// - Throws: ``ContentStoreError``.
  func renew(_ digest: ContentDigest) async throws -> Int64?

  /// Returns a byte range of a file, in chunks that are read when the caller requests them.
  ///
  /// In some stores, the file can still be read to its end after a sweep has removed it.
  ///
  /// - Parameter range: The range in bytes, within the file.
  /// - Throws: ``ContentStoreError``. The returned sequence throws the same type of error.
  func read(_ digest: ContentDigest, _ range: Range<Int64>) async throws -> ContentChunks

  /// Removes the files that no record of the ledger refers to. If `referenced` returns no digest at all, no file is
  /// removed, because the server probably uses the wrong ledger.
  ///
  /// - Parameters:
  ///   - gracePeriodMilliseconds: Files that were published or renewed within this time are kept, because a reference
  ///     to them may still be recorded.
  ///   - referenced: Returns the digests that the ledger refers to. The store reads the clock before this call. So each
  ///     file that the sweep may remove has had its whole grace period to get a reference.
  /// - Throws: ``ContentStoreError``, or the error of `referenced`. Some files may have been removed.
  func sweep(
    gracePeriodMilliseconds: Int64, keeping referenced: @Sendable () async throws -> Set<ContentDigest>
  ) async throws -> SweptContent
}

/// A file in a ``ContentStore``.
public struct StoredContent: Hashable, Sendable {
  public let digest: ContentDigest
  /// The size in bytes.
  public let size: Int64

  public init(digest: ContentDigest, size: Int64) {
    self.digest = digest
    self.size = size
  }
}

/// The size and digest that the sender of an upload has announced.
public struct ContentExpectation: Hashable, Sendable {
  /// No expectation: all content is accepted.
  public static let anything = ContentExpectation()

  public var digest: ContentDigest?
  /// The size in bytes.
  public var size: Int64?

  public init(digest: ContentDigest? = nil, size: Int64? = nil) {
    self.digest = digest
    self.size = size
  }

  /// Compares received content with the expectation.
  ///
  /// - Throws: ``ContentStoreError/sizeDiffers(expected:received:)`` or ``ContentStoreError/digestDiffers(expected:received:)``.
  func check(_ content: StoredContent) throws(ContentStoreError) {
    if let size, size != content.size { throw .sizeDiffers(expected: size, received: content.size) }
    if let digest, digest != content.digest { throw .digestDiffers(expected: digest, received: content.digest) }
  }
}

/// The result of a sweep of a ``ContentStore``.
public struct SweptContent: Hashable, Sendable {
  /// The number of removed files, which had no reference.
  public var files = 0
  /// The total size of those files.
  public var bytes: Int64 = 0
  /// The number of removed temporary files of interrupted uploads.
  public var uploads = 0
  /// The number of files that were not removed because there was no reference to any file at all.
  public var spared = 0

  public init(files: Int = 0, bytes: Int64 = 0, uploads: Int = 0, spared: Int = 0) {
    self.files = files
    self.bytes = bytes
    self.uploads = uploads
    self.spared = spared
  }
}
