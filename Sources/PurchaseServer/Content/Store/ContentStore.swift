import NIOCore

/// Where the content of server-delivered products is kept.
///
/// A file is known by the SHA-256 of what is in it and by nothing else: what an operator or a product calls it never
/// becomes a path, the same content is kept once, and a digest always means the same bytes. So nothing here needs a lock
/// between servers that share a store, and a range may be read from one server and the next from another.
public protocol ContentStore: Sendable {
  /// Takes a file in; durable, and there for every server, when it returns.
  ///
  /// - Parameters:
  ///   - upload: The file's bytes, in order. It is not held in memory.
  ///   - limitBytes: The largest size that is taken.
  ///   - expectation: What whoever sends the file says of it. An upload that was cut off can only be told from a whole one
  ///     by its size or digest, where its sequence does not throw.
  /// - Throws: ``ContentStoreError``, or what the upload threw. Nothing of the file is then there.
  func publish<Upload: AsyncSequence & Sendable>(
    _ upload: Upload, limitBytes: Int64, expecting expectation: ContentExpectation
  ) async throws -> StoredContent where Upload.Element == ByteBuffer

  /// How large a file is, in bytes; nil if it is not there.
  ///
  /// - Throws: ``ContentStoreError``.
  func size(of digest: ContentDigest) async throws -> Int64?

  /// Makes a file that is there as new as one that is published now, so that whoever refers to it again has a whole grace
  /// period for that.
  ///
  /// - Returns: how large it is, in bytes; nil if it is not there.
  /// - Throws: ``ContentStoreError``.
  func renew(_ digest: ContentDigest) async throws -> Int64?

  /// A part of a file, in pieces that are read as they are asked for.
  ///
  /// A file that is swept meanwhile can be read to its end, where the store is able to do that.
  ///
  /// - Parameter range: In bytes, within the file.
  /// - Throws: ``ContentStoreError``; so does the sequence.
  func read(_ digest: ContentDigest, _ range: Range<Int64>) async throws -> ContentChunks

  /// Removes the files that nobody refers to. Where nobody refers to anything at all, no file is removed: it is rather that
  /// the wrong one was asked.
  ///
  /// - Parameters:
  ///   - gracePeriodMilliseconds: A file published or renewed less than this long ago stays: whoever did may be about to refer to it.
  ///   - referenced: The digests that somebody refers to. It is asked after the store has looked at the clock, so that
  ///     what was published before the grace period has had all of it to be referred to.
  /// - Throws: ``ContentStoreError``, or what `referenced` threw. Some files may then be removed.
  func sweep(
    gracePeriodMilliseconds: Int64, keeping referenced: @Sendable () async throws -> Set<ContentDigest>
  ) async throws -> SweptContent
}
