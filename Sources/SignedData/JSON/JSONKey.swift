#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The name of an object's member, without escapes. Valid only while the reader that made it exists.
struct JSONKey {
  let bytes: UnsafeBufferPointer<UInt8>

  var count: Int { bytes.count }
  var text: String { String(decoding: bytes, as: UTF8.self) }

  @inline(__always)
  static func == (key: JSONKey, name: StaticString) -> Bool {
    guard key.bytes.count == name.utf8CodeUnitCount, let start = key.bytes.baseAddress else {
      return key.bytes.isEmpty && name.utf8CodeUnitCount == 0
    }
    return memcmp(start, name.utf8Start, key.bytes.count) == 0
  }
}

/// The member names of the objects that are being read, to detect duplicate names.
///
/// JSON does not define which of two members with the same name is valid, so two readers could use different values.
struct JSONKeyLog {
  private struct Entry {
    let sample: UInt64
    let bytes: UnsafeBufferPointer<UInt8>
  }

  private var entries: [Entry] = []
  /// The names after the first 64 of an object. They are hashed, so that an object with many names takes linear time.
  private var overflow: Set<[UInt8]> = []
  private static let scanned = 64

  init() { entries.reserveCapacity(48) }

  var mark: Int { entries.count }

  /// Removes an object's names. Called at the end of the object, so inner objects are closed first.
  mutating func close(_ mark: Int, outer: inout Set<[UInt8]>) {
    entries.removeLast(entries.count - mark)
    swap(&overflow, &outer)
  }

  /// Begins an object. Returns the overflow of the outer object.
  mutating func open() -> Set<[UInt8]> {
    var outer = Set<[UInt8]>()
    swap(&overflow, &outer)
    return outer
  }

  /// Adds a name. Returns false if the object that began at `mark` already has this name.
  mutating func insert(_ key: JSONKey, since mark: Int) -> Bool {
    let sample = Self.sample(key.bytes)
    var index = mark
    while index < entries.count {
      if entries[index].sample == sample, Self.equal(entries[index].bytes, key.bytes) { return false }
      index += 1
    }
    if entries.count - mark < Self.scanned {
      entries.append(Entry(sample: sample, bytes: key.bytes))
      return true
    }
    return overflow.insert(Array(key.bytes)).inserted
  }

  private static func equal(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    guard let a = left.baseAddress, let b = right.baseAddress else { return true }
    return memcmp(a, b, left.count) == 0
  }

  /// Combines the length with the first and last bytes. This usually distinguishes names without comparing all bytes.
  private static func sample(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    guard bytes.count >= 8, let start = bytes.baseAddress else {
      return bytes.reduce(UInt64(bytes.count)) { $0 << 8 | UInt64($1) }
    }
    let head = UnsafeRawPointer(start).loadUnaligned(as: UInt64.self)
    let tail = UnsafeRawPointer(start + (bytes.count - 8)).loadUnaligned(as: UInt64.self)
    return head ^ (tail &* 0x9E37_79B9_7F4A_7C15) ^ UInt64(bytes.count)
  }
}

/// Owns the bytes of the member names that contained escapes, with the escapes decoded.
final class JSONKeyStorage {
  private var blocks: [UnsafeMutableBufferPointer<UInt8>] = []

  func keep(_ bytes: [UInt8]) -> JSONKey {
    let block = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = block.initialize(from: bytes)
    blocks.append(block)
    return JSONKey(bytes: UnsafeBufferPointer(block))
  }

  deinit {
    for block in blocks { block.deallocate() }
  }
}
