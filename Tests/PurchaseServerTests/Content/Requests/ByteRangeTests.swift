import Testing

@testable import PurchaseServer

@Suite("Ranges of bytes (RFC 9110, section 14)", .timeLimit(.minutes(30)))
struct ByteRangeTests {
  @Test(
    "A satisfiable range is limited to the file's bytes",
    arguments: [
      ("bytes=0-0", 0..<1), ("bytes=0-499", 0..<500), ("bytes=500-999", 500..<1000), ("bytes=999-999", 999..<1000),
      ("bytes=0-", 0..<1000), ("bytes=999-", 999..<1000), ("bytes=-1", 999..<1000), ("bytes=-1000", 0..<1000),
      ("bytes=-1001", 0..<1000), ("bytes=990-99999", 990..<1000), ("bytes=007-008", 7..<9),
      ("bytes=5-99999999999999999999999999", 5..<1000), ("bytes=-99999999999999999999999999", 0..<1000),
      ("Bytes=1-2", 1..<3), ("  bytes= 1-2\t", 1..<3),
    ] as [(String, Range<Int64>)])
  func satisfiable(field: String, part: Range<Int64>) throws {
    #expect(try #require(ByteRange(field: field)).resolved(size: 1000) == .part(part))
  }

  @Test(
    "A range that begins after the end, or is empty, is unsatisfiable",
    arguments: ["bytes=1000-", "bytes=1000-1001", "bytes=-0", "bytes=99999999999999999999999999-"])
  func unsatisfiable(field: String) throws {
    #expect(try #require(ByteRange(field: field)).resolved(size: 1000) == .unsatisfiable)
  }

  @Test("Of an empty file only a suffix range is satisfiable")
  func empty() throws {
    #expect(try #require(ByteRange(field: "bytes=0-")).resolved(size: 0) == .unsatisfiable)
    #expect(try #require(ByteRange(field: "bytes=0-0")).resolved(size: 0) == .unsatisfiable)
    #expect(try #require(ByteRange(field: "bytes=-5")).resolved(size: 0) == .whole)
  }

  @Test("A range beyond 4 GiB is computed correctly")
  func large() throws {
    let size: Int64 = 6 << 30
    #expect(try #require(ByteRange(field: "bytes=-1")).resolved(size: size) == .part(size - 1..<size))
    #expect(
      try #require(ByteRange(field: "bytes=4294967295-4294967296")).resolved(size: size)
        == .part(4_294_967_295..<4_294_967_297))
    #expect(try #require(ByteRange(field: "bytes=9223372036854775807-")).resolved(size: .max) == .unsatisfiable)
    #expect(try #require(ByteRange(field: "bytes=0-9223372036854775807")).resolved(size: .max) == .part(0..<(.max)))
  }

  @Test(
    "A malformed range, another unit, or several ranges are ignored",
    arguments: [
      "", "bytes", "bytes=", "bytes=-", "bytes=--1", "bytes=1", "bytes=a-b", "bytes=1-b", "bytes=2-1", "bytes=+1-2",
      "bytes=0x1-2", "bytes=1 -2", "bytes=1- 2", "bytes 1-2", "bytes =1-2", "items=1-2", "bytes=0-1,2-3", "bytes=0-1, ",
      "bytes=1-2-3", "bytes=１-２", "bytes=-1,-2", "=1-2",
    ])
  func ignored(field: String) { #expect(ByteRange(field: field) == nil) }
}
