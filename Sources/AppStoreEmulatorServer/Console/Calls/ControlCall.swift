import APIDescription
import HTTPTypes
import StoreModel
import WebSupport

/// A request to the control API that a page offers. The form and the `curl` command beside it are both made from it.
///
/// The form sends the text of its fields to `/console/call`. The server then rebuilds the call from them; see
/// ``PostedCall``.
struct ControlCall: Sendable {
  /// An id that is unique on the page. The ids of the form's elements begin with it.
  let id: String
  let method: HTTPRequest.Method
  /// The parts of the path after `/control/v1/`, not percent-encoded.
  let path: [String]
  let fields: [ControlField]
  /// Whether the request has a body. True also for a body without fields, `{}`.
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

  init(_ id: String, _ method: HTTPRequest.Method, path: [String], fields: [ControlField], hasBody: Bool) {
    self.id = id
    self.method = method
    self.path = path
    self.fields = fields
    self.hasBody = hasBody
  }

  /// The percent-encoded path.
  var address: String { "/control/v1/" + path.map(AddressText.segment).joined(separator: "/") }

  /// Whether a part of the path is `.` or `..`. curl resolves these parts, unless `--path-as-is` is given.
  var hasDotSegments: Bool { path.contains { $0 == "." || $0 == ".." } }

  /// The body that the form sends if its fields are not changed; nil if it sends no body.
  var body: String? { hasBody ? ControlBody(fields).json : nil }
}

/// The JSON object of a call's fields, in their order.
struct ControlBody {
  private indirect enum Value {
    case json(String)
    case object([(name: String, value: Value)])
  }

  private var members: [(name: String, value: Value)] = []

  init(_ fields: [ControlField]) {
    for field in Self.fields(fields) {
      guard let json = field.kind.json(field.text) else { continue }
      Self.put(
        field.kind == .object ? .object([]) : .json(json), at: field.name.split(separator: ".")[...], in: &members)
    }
  }

  var json: String { Self.text(.object(members)) }

  /// The fields that are part of the body: those without a condition, and those whose condition is met by an earlier
  /// field that is part of the body.
  static func fields(_ fields: [ControlField]) -> [ControlField] {
    var present: [ControlField] = []
    for field in fields {
      guard let condition = field.condition else {
        present.append(field)
        continue
      }
      let isMet = present.contains { $0.name == condition.name && condition.values.contains($0.text) }
      if isMet { present.append(field) }
    }
    return present
  }

  private static func put(
    _ value: Value, at path: ArraySlice<Substring>, in members: inout [(name: String, value: Value)]
  ) {
    guard let name = path.first.map(String.init) else { return }
    let position = members.firstIndex { $0.name == name }
    guard path.count > 1 else {
      if position == nil { members.append((name, value)) }
      return
    }
    var inner: [(name: String, value: Value)] = []
    if let position, case .object(let known) = members[position].value { inner = known }
    put(value, at: path.dropFirst(), in: &inner)
    if let position { members[position].value = .object(inner) } else { members.append((name, .object(inner))) }
  }

  private static func text(_ value: Value) -> String {
    switch value {
    case .json(let json): json
    case .object(let members):
      "{" + members.map { "\(JSONText.string($0.name)):\(text($0.value))" }.joined(separator: ",") + "}"
    }
  }
}
