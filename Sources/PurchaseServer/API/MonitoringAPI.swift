import APIDescription

extension ServiceEndpoints {
  static let health = Endpoint<NoMembers, NoMembers, NoMembers, HealthView>(
    .get, "/health", name: "health", summary: "Answers while the process runs.", answers: "The process runs",
    callers: .everyone)
  static let ready = Endpoint<NoMembers, NoMembers, NoMembers, ReadyView>(
    .get, "/ready", name: "ready",
    summary: "Checks that the ledger accepts a durable write, and that the server is not about to stop.",
    answers: "The server is ready",
    otherResponses: [OtherResponse(503, "The server is not ready", .json(NotReadyView.self))],
    callers: .everyone)
  static let metrics = Endpoint<NoMembers, NoMembers, NoMembers, PlainText>(
    .get, "/metrics", name: "metrics",
    summary: "Returns the metrics in the format of Prometheus. Requests from this machine need no key.",
    answers: "Text format 0.0.4", callers: EndpointCallers(schemes: ["operator"], areOptional: true))
  static let description = Endpoint<NoMembers, NoMembers, NoMembers, AnyObject>(
    .get, "/openapi.json", name: "description", summary: "Returns this description.", answers: "OpenAPI 3.1",
    callers: .everyone)

  static let monitoring: [any DescribedEndpoint] = [health, ready, metrics, description]
}

struct HealthView: APIObject {
  let status: Status
  let anchors: [Fingerprint]

  enum Status: String, CaseIterable, APIValue {
    case alive
  }

  /// The SHA-256 fingerprint of a certificate.
  struct Fingerprint: APIValue, RawRepresentable {
    let rawValue: String

    static func schema(_ components: SchemaComponents) -> JSONSchema {
      JSONSchema(.string, note: MemberNote(pattern: "^[0-9A-F]{64}$"))
    }
    static var sample: Fingerprint { Fingerprint(rawValue: "") }
  }

  static let notes: [String: MemberNote] = ["anchors": "Of the roots whose purchases are in the ledger."]
}

/// The reason why a server is not ready, and the component that is not ready.
struct NotReadyView: APIObject {
  enum Component: String, CaseIterable, APIValue {
    case database, server
  }

  let error: RefusalView
  let component: Component

  static let schemaName = "NotReady"
}

struct ReadyView: APIObject {
  let status: Status

  enum Status: String, CaseIterable, APIValue {
    case ready
  }
}
