import HTTPTypes
import WebPages

/// One request to the control door, as a page offers it: the form that sends it and the `curl` command beside the form
/// are both made of this.
///
/// What is typed into the form becomes JSON by the rules of ``FieldKind``, here and in `console.js` alike.
struct ControlCall: Sendable {
  /// Unique on its page: what the elements' ids are made of.
  let id: String
  let method: HTTPRequest.Method
  /// What follows `/control/v1/`, part by part, not encoded.
  let path: [String]
  let fields: [ControlField]
  /// Whether there is a body also where there are no fields.
  let hasBody: Bool

  init(
    _ id: String, _ method: HTTPRequest.Method, _ path: String..., fields: [ControlField] = [], hasBody: Bool? = nil
  ) {
    self.id = id
    self.method = method
    self.path = path
    self.fields = fields
    self.hasBody = hasBody ?? !fields.isEmpty
  }

  /// The path as it is asked for.
  var address: String { "/control/v1/" + path.map(AddressText.segment).joined(separator: "/") }

  /// False where browsers would take a part of the path for a step upwards, however it is encoded. `curl` can be told not
  /// to.
  var isAddressable: Bool { !path.contains { $0 == "." || $0 == ".." } }

  /// The body that the form sends while nothing has been changed in it; nil if it sends none.
  var body: String? { hasBody ? ControlBody(fields).json : nil }
}
