import APIDescription
import Foundation
import HTTPTypes
import Hummingbird
import StoreModel

/// A call that a form of a page has sent.
///
/// The field `call` contains the method and the path. The field `place` is present if the call has fields (``APICall/FieldPlace``).
/// The field `token` is present if the page was made for a session. The field `next` is present if another page follows, `download`
/// if the answer becomes a file, and `reveal` if a member of the answer is shown once. The field `confirmation` is present if the
/// user must check a box. If the user has checked the box, the form sends this field twice. All other fields are members of the
/// body or of the query; see ``FormField/formName``.
package struct PostedCall {
  /// The reason why a call cannot be made.
  struct Problem {
    /// A sentence for the user.
    let text: String
    /// The field that has to be corrected; nil if it is none of the call's.
    let field: FormField?
  }

  let call: APICall
  /// The address of the page to open after a successful call; nil for the page with the form. `{name}` is replaced by
  /// the answer's member of that name.
  private let next: String?
  /// The name of the file as which the browser saves the answer; nil to show the next page.
  let download: String?
  /// The name of the member of the answer that is shown once; nil to show the next page.
  let reveal: String?
  private let token: String?
  /// Whether the box that confirms the call is not checked.
  private let isUnconfirmed: Bool

  // The names of the fields that are not members of the body or of the query.
  static let method = "call"
  static let place = "place"
  package static let token = "token"
  static let next = "next"
  static let download = "download"
  static let reveal = "reveal"
  package static let confirmation = "confirmation"

  /// The refusal of a form whose box is not checked.
  package static let unconfirmed = "Check the box first: it confirms that you want this."

  /// Reads a form that was sent.
  ///
  /// - Throws: ``ErrorResponse`` if it is not a form of a page.
  init(_ request: Request) async throws {
    var (text, next, token, download, reveal): (String?, String?, String?, String?, String?) = (nil, nil, nil, nil, nil)
    var place = APICall.FieldPlace.none
    var confirmations: [String] = []
    var fields: [FormField] = []
    for (name, value) in try await request.formFields() {
      switch name {
      case Self.method: text = value
      case Self.next: next = value
      case Self.token: token = value
      case Self.download where value.wholeMatch(of: /[A-Za-z0-9.\-]{1,100}/) != nil: download = value
      case Self.reveal where value.wholeMatch(of: /[A-Za-z]{1,100}/) != nil: reveal = value
      case Self.place:
        guard let known = APICall.FieldPlace(rawValue: value) else { throw Self.malformed }
        place = known
      case Self.confirmation: confirmations.append(value)
      default:
        guard let field = FormField(formName: name, text: value) else { throw Self.malformed }
        Self.add(field, to: &fields)
      }
    }
    guard let call = text.flatMap({ Self.call($0, fields, in: place) }) else { throw Self.malformed }
    self.call = call
    self.next = next
    self.download = download
    self.reveal = reveal
    self.token = token
    isUnconfirmed = confirmations == ["required"]
  }

  /// Checks that the form was made for the session that sends it.
  ///
  /// - Parameter calls: those of the page that sends it.
  /// - Throws: ``ErrorResponse``.
  func check(_ calls: CallContext) throws(ErrorResponse) { try calls.check(token: token, of: call) }

  /// Why the call cannot be made; nil if it can.
  var problem: Problem? {
    if isUnconfirmed { return Problem(text: Self.unconfirmed, field: nil) }
    return CallBody.fields(call.fields).lazy.compactMap { field in
      field.kind.problem(field.text).map { Problem(text: $0, field: field) }
    }.first
  }

  private static func call(_ text: String, _ fields: [FormField], in place: APICall.FieldPlace) -> APICall? {
    let parts = text.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let method = HTTPRequest.Method(String(parts[0])) else { return nil }
    let path = parts[1].split(separator: "/", omittingEmptySubsequences: false).map {
      String($0).removingPercentEncoding
    }
    guard path.allSatisfy({ $0 != nil }) else { return nil }
    return APICall("", method, path: path.compactMap(\.self), fields: fields, in: place)
  }

  /// Adds a field. If a field with this name exists, the new text replaces its text, or is appended to it for the kinds
  /// `texts` and `wholeTexts`.
  ///
  /// A checkbox sends two fields with one name if it is checked: first a hidden field with `false`, then `true`.
  private static func add(_ field: FormField, to fields: inout [FormField]) {
    guard let position = fields.firstIndex(where: { $0.formName == field.formName }) else {
      return fields.append(field)
    }
    let isList = field.kind == .texts || field.kind == .wholeTexts
    let text = isList ? "\(fields[position].text) \(field.text)" : field.text
    fields[position] = FormField(field.name, field.kind, "", text: text, when: field.condition)
  }

  private static let malformed = ErrorResponse(
    .badRequest, "malformedRequest", "This is no form of a page. Programs use the API.")

  /// Returns the address of the next page.
  ///
  /// - Parameters:
  ///   - answer: the answer of the call.
  ///   - page: the address of the page with the form.
  func nextPage(_ answer: ByteBuffer, page: String) -> String {
    guard let next else { return page }
    let members = (try? BoundedJSON.object(from: Data(buffer: answer))) as? [String: Any] ?? [:]
    return next.replacing(/\{(\w+)\}/) { match in AddressText.segment(members[String(match.1)] as? String ?? "") }
  }
}
