import APIDescription
import Testing

@testable import WebSupport

@Suite("The request that a form of a page sends", .timeLimit(.minutes(30)))
struct APICallTests {
  @Test(
    "each kind of field becomes its JSON",
    arguments: [
      (FieldKind.text, "", nil), (.text, "a \"b\"", #""a \"b\"""#), (.text, "a\\b\n", #""a\\b\n""#),
      (.text, "\u{202E}x\u{0}", #""\u202ex\u0000""#),
      (.text, "\u{3164}\u{FE0F}a b\u{A0}\u{378}\u{E000}é𝔘", #""\u3164\ufe0fa b\u00a0\u0378\ue000é𝔘""#),
      (.text, "\u{E0041}", #""\udb40\udc41""#),
      (.text, "\"\u{301}", "\"\\\"\u{301}\""), (.wholeText, "", "\"\""), (.wholeText, " a ", "\" a \""),
      (.textOrNull, "", "null"), (.textOrNull, "x", "\"x\""),
      (.number, " 12 ", "12"), (.number, "-0.5e3", "-0.5e3"), (.number, "012", "\"012\""), (.number, "", nil),
      (.thousandths, "1.99", "1990"), (.thousandths, "0", "0"), (.thousandths, "007.5", "7500"),
      (.thousandths, "-3", "-3000"), (.thousandths, "1.2345", "\"1.2345\""), (.thousandths, "1,5", "\"1,5\""),
      (.duration, "90 s", "90000"), (.duration, " 1d12h ", "129600000"), (.duration, "soon", "\"soon\""),
      (.seconds, "90 s", "90"), (.seconds, "0s", "0"), (.seconds, "1d", "86400"), (.seconds, "1999ms", "\"1999ms\""),
      (.seconds, "90", "\"90\""), (.seconds, "", nil),
      (.date, "1970-01-02 00:00", "86400000"), (.date, "2023-02-29", "\"2023-02-29\""), (.flag, "true", "true"),
      (.flag, "", nil),
      (.flag, "yes", "\"yes\""), (.texts, " a  b ", #"["a","b"]"#), (.texts, "", nil),
      (.wholeTexts, " a  b ", #"["a","b"]"#), (.wholeTexts, "", "[]"), (.object, "", "{}"),
      (.jsonObject, "", nil), (.jsonObject, " {\"a\": [1]} ", "{\"a\": [1]}"), (.jsonObject, "[1]", "\"[1]\""),
      (.jsonObject, "{", "\"{\""), (.jsonObject, "\"a\"", #""\"a\"""#),
    ] as [(FieldKind, String, String?)])
  func kinds(kind: FieldKind, text: String, json: String?) {
    #expect(kind.json(text) == json)
  }

  @Test(
    "a text that does not fit is answered with what is accepted, and an example",
    arguments: [
      (FieldKind.date, "tomorrow", "2026-07-01 12:00:00"), (.duration, "soon", "1d12h"), (.seconds, "1999ms", "90 s"),
      (.number, "two", "0.5"), (.thousandths, "1,99", "1.99"), (.flag, "yes", "true"),
      (.jsonObject, "headline", #"{"headline": "Join the club"}"#),
    ])
  func problems(kind: FieldKind, text: String, example: String) {
    let problem = kind.problem(text)
    #expect(problem?.contains("“\(text)”") == true && problem?.contains(example) == true)
    #expect(kind.problem(kind == .flag ? "false" : example) == nil)
    #expect(kind.problem("") == nil)
  }

  @Test("members of members, fields with a condition, and an object without members")
  func bodies() {
    func body(_ fields: FormField...) -> String { CallBody(fields).json }
    let kind = FormField("kind", .text, "", text: "outage")
    #expect(
      body(
        kind, FormField("scope.customer", .text, "", text: "ada"), FormField("scope.environment", .text, ""),
        FormField("scope.productId", .text, "", text: "p"), FormField("count", .number, "", text: "2"))
        == #"{"kind":"outage","scope":{"customer":"ada","productId":"p"},"count":2}"#)
    #expect(
      body(
        kind, FormField("status", .number, "", text: "1", when: .init(name: "kind", values: ["receiptStatus"])),
        FormField("appearance", .text, "", text: "x", when: .init(name: "kind", values: ["noAnswer", "outage"])))
        == #"{"kind":"outage","appearance":"x"}"#)
    let domain = FormField("domain", .text, "", text: "A", when: .init(name: "kind", values: ["error"]))
    let code = FormField("code", .number, "", text: "1", when: .init(name: "domain", values: ["A"]))
    #expect(body(kind, domain, code) == #"{"kind":"outage"}"#, "a condition on a member that is left out is not met")
    #expect(
      body(FormField("kind", .text, "", text: "error"), domain, code) == #"{"kind":"error","domain":"A","code":1}"#)
    #expect(body(.object("prices")) == #"{"prices":{}}"#)
    #expect(body(.object("prices"), .constant("prices.DEU", .number, "990")) == #"{"prices":{"DEU":990}}"#)
    #expect(body() == "{}")
  }

  @Test("what the shell is given is quoted where it has to be, also an apostrophe with an accent on it")
  func quoting() {
    #expect(ShellText.quoted("http://a/b-c_d.e~%20") == "http://a/b-c_d.e~%20")
    #expect(ShellText.quoted("") == "''")
    #expect(ShellText.quoted("it's $HOME `x` \\ !") == #"'it'\''s $HOME `x` \ !'"#)
    #expect(ShellText.quoted("'\u{301}") == "''\\''\u{301}'")
  }

  private struct Path: APIObject {
    let id: String
  }

  private struct Refund: APIObject {
    enum Reason: String, CaseIterable, APIValue { case other, issue }
    struct Scope: APIObject {
      let customer: String
      let count: Int64?
    }

    let reason: Reason
    let text: String?
    let isWhole: Bool?
    let date: Int64?
    let scope: Scope?

    static let notes: [String: MemberNote] = ["text": "For the log."]
  }

  private static let refund = Endpoint<Path, NoMembers, Refund, NoContent>(
    .post, "/transactions/{id}/refund", name: "refund", summary: "Refunds.", answers: "Done")
  private static let removal = Endpoint<Path, NoMembers, NoMembers, NoContent>(
    .delete, "/faults/{id}", name: "removeFault", summary: "Removes.", answers: "Done")

  private static func context(token: String? = nil, session: String? = nil) -> CallContext {
    CallContext(
      origin: "http://localhost:1", api: "/control/v1", site: "/console", tokenVariable: token, session: session)
  }

  @Test("the command says the method, the token's name and never the token, and a step upwards only to curl")
  func commands() {
    let refund = APICall("r", Self.refund, "1/2", fields: [.constant("reason", .number, "1")])
    #expect(
      Self.context(token: "OPENSTOREKIT_CONTROL_TOKEN", session: "secret").command(of: refund) == """
        curl http://localhost:1/control/v1/transactions/1%2F2/refund \\
          -H 'Content-Type: application/json' \\
          -H "Authorization: Bearer $OPENSTOREKIT_CONTROL_TOKEN" \\
          --data-raw '{"reason":1}'
        """)
    #expect(
      Self.context().command(of: APICall("d", Self.removal, "..")) == """
        curl --path-as-is -X DELETE http://localhost:1/control/v1/faults/..
        """)
    #expect(APICall("d", Self.removal, "..").hasDotSegments)
    #expect(!APICall("d", Self.removal, "...").hasDotSegments)
  }

  @Test("an endpoint's description makes the fields: their kinds, choices, hints, and which are required")
  func described() {
    let fields = EndpointFields(of: Self.refund)
    let reason = fields.field("reason", "Reason")
    #expect(reason.kind == .text && reason.isRequired)
    guard case .choice(let choices) = reason.input else { return #expect(Bool(false), "\(reason.input)") }
    #expect(choices.map(\.value) == ["other", "issue"])
    let text = fields.field("text", "Text", isRequired: true)
    #expect(text.kind == .text && text.hint == "For the log." && text.isRequired)
    #expect(fields.field("isWhole", "Whole").kind == .flag)
    #expect(fields.field("date", "Date", .date).kind == .date && !fields.field("date", "Date").isRequired)
    let (customer, count) = (fields.field("scope.customer", "Customer"), fields.field("scope.count", "Count"))
    #expect(customer.kind == .text && count.kind == .number)
    // The customer is needed only in a scope, which may be left out.
    #expect(!customer.isRequired && !count.isRequired)
  }

  @Test("a form has a token of its call and its session, and no other fits")
  func tokens() {
    let (refund, other) = (APICall("r", Self.refund, "1"), APICall("r", Self.refund, "2"))
    let token = FormToken.text(for: refund, session: "one")
    #expect(token.utf8.count == 64)
    #expect(FormToken.isRight(token, for: refund, session: "one"))
    #expect(!FormToken.isRight(token, for: refund, session: "two"))
    #expect(!FormToken.isRight(token, for: other, session: "one"))
    #expect(!FormToken.isRight(token, for: APICall("r", Self.removal, "1"), session: "one"))
    #expect(!FormToken.isRight(nil, for: refund, session: "one"))
    let form = CallForm(call: refund, title: "Refund", calls: Self.context(session: "one")).html.text
    #expect(form.contains("name=\"token\" value=\"\(token)\"") && !form.contains("value=\"one\""))
    #expect(!CallForm(call: refund, title: "Refund", calls: Self.context()).html.text.contains("name=\"token\""))
  }

  @Test("the id of a row's form has the row's key, whatever characters it has")
  func rowID() {
    #expect(APICall.id("revoke", ofRow: "app", "grant:1", "a/b") == "revoke-app/grant%3A1/a%2Fb.")
  }

  @Test("the end of a list leads to more rows of the page, up to a maximum, and to the next page")
  func listEnd() {
    func end(_ rows: Int, _ older: String?) -> String { ListEnd(rows: rows, older: older) { "/?rows=\($0)" }.html.text }
    #expect(end(100, nil) == "")
    #expect(end(100, "/?before=7").contains("data-more href=\"/?rows=200\""))
    #expect(end(450, "/?before=7").contains("data-more href=\"/?rows=500\""))
    #expect(end(500, "/?before=7") == "<p class=\"older\"><a class=\"button\" href=\"/?before=7\">Older</a></p>")
  }
}
