import Testing

@testable import PurchaseServer

@Suite("Entity tags (RFC 9110, section 8.8.3)", .timeLimit(.minutes(30)))
struct EntityTagTests {
  @Test("A tag may contain commas and backslashes")
  func opaque() throws {
    #expect(try #require(EntityTag(field: #""a,b\""#)).opaque == #"a,b\"#)
    #expect(try #require(EntityTag(field: #"W/"""#)).description == #"W/"""#)
  }

  @Test(
    "An invalid tag is refused", arguments: ["", "a", #""a"#, #"a""#, #"w/"a""#, #""a" "#, #""a b""#, #""a""b""#, "*"])
  func malformed(field: String) { #expect(EntityTag(field: field) == nil) }

  @Test("Strong tags are equal only to strong ones")
  func comparison() throws {
    let strong = try #require(EntityTag(field: #""1""#))
    let weak = try #require(EntityTag(field: #"W/"1""#))
    #expect(strong.matchesStrongly(strong))
    #expect(!strong.matchesStrongly(weak) && !weak.matchesStrongly(strong) && !weak.matchesStrongly(weak))
    #expect(strong.matchesWeakly(weak) && weak.matchesWeakly(strong))
  }

  @Test("Empty entries of a list are ignored, and one invalid tag invalidates it")
  func list() throws {
    let (one, two) = (try #require(EntityTag(field: #""1""#)), try #require(EntityTag(field: #"W/"2,3""#)))
    #expect(EntityTagList(field: " , \"1\" ,,\tW/\"2,3\", ") == .tags([one, two]))
    #expect(EntityTagList(field: " * ") == .any)
    for field in ["", "*, \"1\"", #""1" "2""#, #""1", 2"#, #""1"x"#] {
      #expect(EntityTagList(field: field) == .tags([]))
    }
  }
}
