import Testing

@testable import AppStoreEmulatorServer

@Suite("The request that a form of the console sends", .timeLimit(.minutes(10)))
struct ControlCallTests {
  @Test(
    "each kind of field becomes its JSON",
    arguments: [
      (FieldKind.text, "", nil), (.text, "a \"b\"", #""a \"b\"""#), (.text, "a\\b\n", #""a\\b\n""#),
      (.text, "\u{202E}x\u{0}", #""\u202ex\u0000""#),
      (.text, "\u{3164}\u{FE0F}a b\u{A0}\u{378}\u{E000}é𝔘", #""\u3164\ufe0fa b\u00a0\u0378\ue000é𝔘""#),
      (.text, "\u{E0041}", #""\udb40\udc41""#),
      (.text, "\"\u{301}", "\"\\\"\u{301}\""), (.textOrNull, "", "null"), (.textOrNull, "x", "\"x\""),
      (.number, " 12 ", "12"), (.number, "-0.5e3", "-0.5e3"), (.number, "012", "\"012\""), (.number, "", nil),
      (.thousandths, "1.99", "1990"), (.thousandths, "0", "0"), (.thousandths, "007.5", "7500"),
      (.thousandths, "-3", "-3000"), (.thousandths, "1.2345", "\"1.2345\""), (.thousandths, "1,5", "\"1,5\""),
      (.duration, "90 s", "90000"), (.duration, " 1d12h ", "129600000"), (.duration, "soon", "\"soon\""),
      (.seconds, "90 s", "90"), (.seconds, "0s", "0"), (.seconds, "1d", "86400"), (.seconds, "1999ms", "\"1999ms\""),
      (.seconds, "90", "\"90\""), (.seconds, "", nil),
      (.date, "1970-01-02 00:00", "86400000"), (.date, "2023-02-29", "\"2023-02-29\""), (.flag, "true", "true"),
      (.flag, "", nil),
      (.flag, "yes", "\"yes\""), (.texts, " a  b ", #"["a","b"]"#), (.texts, "", nil), (.object, "", "{}"),
    ] as [(FieldKind, String, String?)])
  func kinds(kind: FieldKind, text: String, json: String?) {
    #expect(kind.json(text) == json)
  }

  @Test(
    "a text that does not fit is answered with what is accepted, and an example",
    arguments: [
      (FieldKind.date, "tomorrow", "2026-07-01 12:00:00"), (.duration, "soon", "1d12h"), (.seconds, "1999ms", "90 s"),
      (.number, "two", "0.5"), (.thousandths, "1,99", "1.99"), (.flag, "yes", "true"),
    ])
  func problems(kind: FieldKind, text: String, example: String) {
    let problem = kind.problem(text)
    #expect(problem?.contains("“\(text)”") == true && problem?.contains(example) == true)
    #expect(kind.problem(kind == .flag ? "false" : example) == nil)
    #expect(kind.problem("") == nil)
  }

  @Test("members of members, fields with a condition, and an object without members")
  func bodies() {
    func body(_ fields: ControlField...) -> String { ControlBody(fields).json }
    let kind = ControlField("kind", .text, "", text: "outage")
    #expect(
      body(
        kind, ControlField("scope.customer", .text, "", text: "ada"), ControlField("scope.environment", .text, ""),
        ControlField("scope.productId", .text, "", text: "p"), ControlField("count", .number, "", text: "2"))
        == #"{"kind":"outage","scope":{"customer":"ada","productId":"p"},"count":2}"#)
    #expect(
      body(
        kind, ControlField("status", .number, "", text: "1", when: .init(name: "kind", values: ["receiptStatus"])),
        ControlField("appearance", .text, "", text: "x", when: .init(name: "kind", values: ["noAnswer", "outage"])))
        == #"{"kind":"outage","appearance":"x"}"#)
    let domain = ControlField("domain", .text, "", text: "A", when: .init(name: "kind", values: ["error"]))
    let code = ControlField("code", .number, "", text: "1", when: .init(name: "domain", values: ["A"]))
    #expect(body(kind, domain, code) == #"{"kind":"outage"}"#, "a condition on a member that is left out is not met")
    #expect(
      body(ControlField("kind", .text, "", text: "error"), domain, code) == #"{"kind":"error","domain":"A","code":1}"#)
    #expect(body(.object("prices")) == #"{"prices":{}}"#)
    #expect(body(.object("prices"), .constant("prices.DEU", .number, "990")) == #"{"prices":{"DEU":990}}"#)
    #expect(body() == "{}")
  }

  @Test("what the shell is given is quoted where it has to be, also an apostrophe with an accent on it")
  func quoting() {
    #expect(ShellCommand.quoted("http://a/b-c_d.e~%20") == "http://a/b-c_d.e~%20")
    #expect(ShellCommand.quoted("") == "''")
    #expect(ShellCommand.quoted("it's $HOME `x` \\ !") == #"'it'\''s $HOME `x` \ !'"#)
    #expect(ShellCommand.quoted("'\u{301}") == "''\\''\u{301}'")
  }

  @Test("the command says the method, the token's name and never the token, and a step upwards only to curl")
  func commands() {
    let command = ShellCommand(origin: "http://localhost:1", needsToken: true)
    let refund = ControlCall("r", .post, "transactions", "1/2", "refund", fields: [.constant("reason", .number, "1")])
    #expect(
      command.text(of: refund) == """
        curl http://localhost:1/control/v1/transactions/1%2F2/refund \\
          -H 'Content-Type: application/json' \\
          -H "Authorization: Bearer $OPENSTOREKIT_CONTROL_TOKEN" \\
          --data-raw '{"reason":1}'
        """)
    let open = ShellCommand(origin: "http://localhost:1", needsToken: false)
    #expect(
      open.text(of: ControlCall("d", .delete, "faults", "..")) == """
        curl --path-as-is -X DELETE http://localhost:1/control/v1/faults/..
        """)
    #expect(ControlCall("d", .delete, "faults", "..").hasDotSegments)
    #expect(!ControlCall("d", .delete, "faults", "...").hasDotSegments)
  }
}
