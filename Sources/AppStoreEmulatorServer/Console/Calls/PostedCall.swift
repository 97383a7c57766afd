import APIDescription
import Foundation
import HTTPTypes
import Hummingbird
import StoreModel
import WebSupport

/// A call that a form of the console has sent.
///
/// The field `call` contains the method and the path. The field `body` is present if the call has a body. The field
/// `next` is present if another page follows. The field `confirmation` is present if the user must check a box. If the
/// user has checked the box, the form sends this field twice. All other fields are members of the body; see
/// ``ControlField/formName``.
struct PostedCall {
  let call: ControlCall
  /// The address of the page to open after a successful call; nil for the page with the form. `{name}` is replaced by
  /// the answer's member of that name.
  let next: String?
  /// Whether the box that confirms the call is not checked.
  private let isUnconfirmed: Bool

  // The names of the fields that are not members of the body.
  static let method = "call"
  static let body = "body"
  static let next = "next"
  static let confirmation = "confirmation"

  /// The refusal of a form whose box is not checked.
  static let unconfirmed = "Check the box first: it confirms that you want this."

  /// Reads a form that was sent.
  ///
  /// - Throws: ``ErrorResponse`` if it is not a form of the console.
  init(_ request: Request) async throws {
    var (text, next, hasBody): (String?, String?, Bool) = (nil, nil, false)
    var confirmations: [String] = []
    var fields: [ControlField] = []
    for (name, value) in try await request.formFields() {
      switch name {
      case Self.method: text = value
      case Self.next: next = value
      case Self.body: hasBody = true
      case Self.confirmation: confirmations.append(value)
      default:
        guard let field = ControlField(formName: name, text: value) else { throw Self.malformed }
        Self.add(field, to: &fields)
      }
    }
    guard let call = text.flatMap({ Self.call($0, fields, hasBody: hasBody) }) else { throw Self.malformed }
    self.call = call
    self.next = next
    isUnconfirmed = confirmations == ["required"]
  }

  /// Why the call cannot be made, in a sentence for the user; nil if it can.
  var problem: String? {
    if isUnconfirmed { return Self.unconfirmed }
    return ControlBody.fields(call.fields).lazy.compactMap { $0.kind.problem($0.text) }.first
  }

  /// The value of the field `call`.
  static func text(of call: ControlCall) -> String {
    "\(call.method.rawValue) \(call.path.map(AddressText.segment).joined(separator: "/"))"
  }

  private static func call(_ text: String, _ fields: [ControlField], hasBody: Bool) -> ControlCall? {
    let parts = text.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let method = HTTPRequest.Method(String(parts[0])) else { return nil }
    let path = parts[1].split(separator: "/", omittingEmptySubsequences: false).map {
      String($0).removingPercentEncoding
    }
    guard path.allSatisfy({ $0 != nil }) else { return nil }
    return ControlCall("", method, path: path.compactMap(\.self), fields: fields, hasBody: hasBody)
  }

  /// Adds a field. If a field with this name exists, the new text replaces its text, or is appended to it for the kind
  /// `texts`.
  ///
  /// A checkbox sends two fields with one name if it is checked: first a hidden field with `false`, then `true`.
  private static func add(_ field: ControlField, to fields: inout [ControlField]) {
    guard let position = fields.firstIndex(where: { $0.formName == field.formName }) else {
      return fields.append(field)
    }
    let text = field.kind == .texts ? "\(fields[position].text) \(field.text)" : field.text
    fields[position] = ControlField(field.name, field.kind, "", text: text, when: field.condition)
  }

  private static let malformed = ErrorResponse(
    .badRequest, "malformedRequest", "This is no form of the console. Programs use the control API: /control/v1/….")

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
