import APIDescription
import Testing
import WebSupport

@Suite(.timeLimit(.minutes(30))) struct HTMLTests {
  @Test("Text in a page is escaped, in text and in an attribute")
  func escapes() {
    let name = #"<script>alert("1")</script> & 'more'"#
    let html: HTML = "<p title=\"\(name)\">\(name)</p>"
    let escaped = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;more&#39;"
    #expect(html.text == "<p title=\"\(escaped)\">\(escaped)</p>")
  }

  @Test("A combining mark does not prevent the escaping of the character before it")
  func combiningMarks() {
    // As a Swift Character, a quotation mark with an accent is not equal to a quotation mark.
    for mark in ["\u{0301}", "\u{200D}", "\u{FE0F}", "\u{1F3FB}"] {
      for (character, escaped) in [("\"", "&quot;"), ("<", "&lt;"), (">", "&gt;"), ("&", "&amp;"), ("'", "&#39;")] {
        let html: HTML = "<p title=\"\(character + mark)\">"
        // Compares bytes, because a comparison of Characters would have the same problem.
        #expect(Array(html.text.utf8) == Array("<p title=\"\(escaped)\(mark)\">".utf8))
      }
    }
  }

  @Test("HTML in HTML stays as it is, and nil is nothing")
  func nesting() {
    let items: [HTML] = ["a & b", "<c>"].map { "<li>\($0)</li>" }
    let (none, noText): (HTML?, String?) = (nil, nil)
    let list: HTML = "<ul\(" hidden", if: false)\(" lang=\"en\"", if: true)>\(items)\(none)\(noText)</ul>\(3)"
    #expect(list.text == "<ul lang=\"en\"><li>a &amp; b</li><li>&lt;c&gt;</li></ul>3")
  }

  @Test("A literal in an interpolation is HTML, and values interpolated into it are escaped")
  func literals() {
    let text: String? = "<x>"
    let html: HTML = "\(text.map { "<p>\($0)</p>" } ?? "<i>")\(text == nil ? "<b>" : "<u>")"
    #expect(html.text == "<p>&lt;x&gt;</p><u>")
  }

  @Test("Control characters, which HTML does not have, are replaced")
  func controls() {
    let text = "a\u{0}b\u{1B}[2J\u{7F}c\td\ne"
    let html: HTML = "\(text)"
    #expect(html.text == "a\u{FFFD}b\u{FFFD}[2J\u{FFFD}c\td\ne")
  }

  @Test("A long name is shown by its beginning, and cut between scalars")
  func shortNames() {
    #expect(HTML.shortName("short").text == "<bdi>short</bdi>")
    #expect(HTML.shortName(String(repeating: "x", count: 10_000), limit: 5).text == "<bdi>xxxxx…</bdi>")
    #expect(HTML.shortName(String(repeating: "x", count: 5), limit: 5).text == "<bdi>xxxxx</bdi>")
    let pile = "e" + String(repeating: "\u{0301}", count: 10_000)
    #expect(HTML.shortName(pile, limit: 10).text.unicodeScalars.count == "<bdi></bdi>".count + 11)
    #expect(HTML.shortName("<b>", limit: 1).text == "<bdi>&lt;…</bdi>")
  }

  @Test("An identifier may be broken after its dots, is escaped, and shortened if it is long")
  func identifiers() {
    #expect(HTML.identifier("com.a.<b>").text == "<bdi>com.<wbr>a.<wbr>&lt;b&gt;</bdi>")
    #expect(HTML.identifier("plain").text == "<bdi>plain</bdi>")
    #expect(HTML.identifier(".").text == "<bdi>.<wbr></bdi>")
    #expect(HTML.identifier("com.example", limit: 5).text == "<bdi>com.<wbr>e…</bdi>")
  }

  @Test("Parts of addresses are percent-encoded, also what would begin another part")
  func addresses() {
    #expect(AddressText.segment("a/b?c#d e\"<é") == "a%2Fb%3Fc%23d%20e%22%3C%C3%A9")
    #expect(AddressText.query([("a&b", "c=d+e"), ("none", nil), ("empty", "")]) == "?a%26b=c%3Dd%2Be")
    #expect(AddressText.query([("none", nil)]) == "")
  }
}
