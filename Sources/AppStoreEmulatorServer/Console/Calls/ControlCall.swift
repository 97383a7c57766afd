import APIDescription
import HTTPTypes
import StoreModel
import WebSupport

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

/// The JSON object that a call's fields make, in their order.
struct ControlBody {
  private indirect enum Value {
    case json(String)
    case object([(name: String, value: Value)])
  }

  private var members: [(name: String, value: Value)] = []

  init(_ fields: [ControlField]) {
    for field in fields where Self.isThere(field, in: fields) {
      guard let json = field.kind.json(field.text) else { continue }
      Self.put(
        field.kind == .object ? .object([]) : .json(json), at: field.name.split(separator: ".")[...], in: &members)
    }
  }

  var json: String { Self.text(.object(members)) }

  /// Whether the field it depends on has the value that it needs.
  private static func isThere(_ field: ControlField, in fields: [ControlField]) -> Bool {
    guard let condition = field.condition else { return true }
    return fields.contains { $0.name == condition.name && condition.values.contains($0.text) }
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
