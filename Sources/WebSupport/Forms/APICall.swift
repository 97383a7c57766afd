import APIDescription
import HTTPTypes
import StoreModel

/// A request to an API that a page offers. The form and the `curl` command beside it are both made from it.
///
/// The form sends the text of its fields to ``CallRoutes``. The server then rebuilds the call from them; see ``PostedCall``.
package struct APICall: Sendable {
  /// An id that is unique on the page. The ids of the form's elements begin with it.
  package let id: String
  let method: HTTPRequest.Method
  /// The parts of the endpoint's path, not percent-encoded.
  let path: [String]
  package let fields: [FormField]
  let place: FieldPlace

  /// Where a request has its fields.
  package enum FieldPlace: String, Sendable {
    case none
    /// In a JSON body; `{}` without fields.
    case body
    /// In the query of the address. A field with an empty text is omitted.
    case query
  }

  /// - Parameters:
  ///   - parameters: the values of the endpoint's path, in their order.
  ///   - fields: the members of the body or of the query. Without fields, there is none.
  ///   - place: where the endpoint expects them.
  package init(
    _ id: String, _ endpoint: any DescribedEndpoint, _ parameters: String..., fields: [FormField] = [],
    in place: FieldPlace = .body
  ) {
    let path = Self.path(of: endpoint, parameters)
    self.init(id, endpoint.method.http, path: path, fields: fields, in: fields.isEmpty ? .none : place)
  }

  /// Returns the percent-encoded path of an endpoint, without a slash before it.
  ///
  /// - Parameter parameters: the values of the endpoint's path, in their order.
  package static func address(of endpoint: any DescribedEndpoint, _ parameters: [String]) -> String {
    address(path(of: endpoint, parameters))
  }

  private static func path(of endpoint: any DescribedEndpoint, _ parameters: [String]) -> [String] {
    var values = parameters[...]
    let path = endpoint.path.split(separator: "/").map { part -> String in
      guard part.hasPrefix("{") else { return String(part) }
      guard let value = values.popFirst() else { preconditionFailure("\(endpoint.name) needs \(part)") }
      return value
    }
    precondition(values.isEmpty, "\(endpoint.name) has fewer parameters")
    return path
  }

  private static func address(_ path: [String]) -> String {
    path.map(AddressText.segment).joined(separator: "/")
  }

  init(_ id: String, _ method: HTTPRequest.Method, path: [String], fields: [FormField], in place: FieldPlace) {
    self.id = id
    self.method = method
    self.path = path
    self.fields = fields
    self.place = place
  }

  /// The percent-encoded path below the API's base path, without a slash before it, and the query.
  var address: String { Self.address(path) + query }

  private var query: String {
    guard place == .query else { return "" }
    return AddressText.query(CallBody.fields(fields).map { ($0.name, $0.text) })
  }

  /// The method and the path. ``PostedCall`` reads them.
  package var name: String { "\(method.rawValue) \(Self.address(path))" }

  /// Whether a part of the path is `.` or `..`. curl resolves these parts, unless `--path-as-is` is given.
  var hasDotSegments: Bool { path.contains { $0 == "." || $0 == ".." } }

  /// The body that the form sends if its fields are not changed; nil if it sends no body.
  var body: String? { place == .body ? CallBody(fields).json : nil }
}

extension APICall {
  /// The id of a row's form. It names the row and not its place: a live page exchanges its lists, and what the reader has focused,
  /// typed or opened stays with the row when rows before it come or go.
  ///
  /// - Parameter names: the row's key.
  package static func id(_ action: String, ofRow names: String...) -> String {
    // The full stop ends it, so that it is not the id of an element in the form of another row.
    "\(action)-\(names.map(AddressText.segment).joined(separator: "/"))."
  }
}

/// The JSON object of a call's fields, in their order.
struct CallBody {
  private indirect enum Value {
    case json(String)
    case object([(name: String, value: Value)])
  }

  private var members: [(name: String, value: Value)] = []

  init(_ fields: [FormField]) {
    for field in Self.fields(fields) {
      guard let json = field.kind.json(field.text) else { continue }
      Self.put(
        field.kind == .object ? .object([]) : .json(json), at: field.name.split(separator: ".")[...], in: &members)
    }
  }

  var json: String { Self.text(.object(members)) }

  /// The fields that are sent: those without a condition, and those whose condition is met by an earlier field that is
  /// sent.
  static func fields(_ fields: [FormField]) -> [FormField] {
    var present: [FormField] = []
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
