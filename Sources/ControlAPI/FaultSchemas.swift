import APIDescription
import AppStoreEmulator
import StoreModel

/// The members that every fault has. The schema of ``Fault`` adds the members of all kinds of faults.
private struct FaultMembers: APIObject {
  let id: FaultID?
  let kind: FaultKindName
  let scope: FaultScope?
  let count: Int?
  let probability: Double?
  let seed: Int64?
  let durationSeconds: Int64?

  static let notes: [String: MemberNote] = [
    "id": .init("Unique. By default the store makes one.", minLength: 1),
    "count": .init("How many requests the fault strikes. By default all, until it is removed.", minimum: 1),
    "probability": .init(
      "The chance that the fault strikes a request of its scope; at most 1.", maximum: 1, exclusiveMinimum: 0),
    "seed": .init("The seed of the random choices. By default it follows from the store's seed.", minimum: 0),
    "durationSeconds": .init("How long it strikes, on the store's clock. By default until it is removed.", minimum: 1),
  ]
}

/// The members that a report adds to a fault.
private struct FaultReportMembers: APIObject {
  let setDate: StoreDate
  let endDate: StoreDate?
  let remaining: Int?
  let hits: Int
  let waiting: Int
  let isActive: Bool
  let warnings: [String]?

  static let notes: [String: MemberNote] = [
    "endDate": "When the fault ends by itself.",
    "remaining": "How many requests it will still strike; missing for any number.",
    "hits": "How many requests it has struck.",
    "waiting": "How many requests it holds now.",
    "isActive": "Whether it may strike again.",
    "warnings": "What the scope names that the store does not have yet. Only in the answers of setFault and faults.",
  ]
}

private struct FaultKindName: APIValue {
  static func schema(_ components: SchemaComponents) -> JSONSchema {
    JSONSchema(
      .string, values: FaultKinds.all.map { .string($0.name) },
      note: MemberNote(FaultKinds.all.map { "\($0.name): \($0.summary)." }.joined(separator: " ")))
  }
  static var sample: FaultKindName { FaultKindName() }
  static var componentName: String? { "FaultKind" }
}

extension Fault: APIValue {
  package static func schema(_ components: SchemaComponents) throws -> JSONSchema {
    JSONSchema(.object(try members(components)))
  }
  package static var sample: Fault { Fault(OutageFault()) }
  package static var componentName: String? { "Fault" }

  fileprivate static func members(_ components: SchemaComponents) throws -> [JSONSchema.Member] {
    let ownMembers = try FaultKinds.all.flatMap { kind in
      try kind.members.map { try member($0, of: kind.name, components) }
    }
    return try components.members(of: FaultMembers.self) + ownMembers
  }

  private static func member(
    _ member: FaultMember, of kind: String, _ components: SchemaComponents
  ) throws -> JSONSchema.Member {
    let note = MemberNote("For \(kind)\(member.isRequired ? ", which requires it" : ""): \(member.summary).")
    var schema: JSONSchema
    switch member.value {
    case .integer(let range):
      schema = JSONSchema(.integer)
      schema.note.minimum = range?.lowerBound
      schema.note.maximum = range?.upperBound
    case .milliseconds(let longest):
      schema = JSONSchema(.integer, note: MemberNote(minimum: 1, maximum: longest))
    case .flag: schema = JSONSchema(.boolean)
    case .choice(let choices): schema = JSONSchema(.string, values: choices.map { .string($0.value) })
    case .appError: schema = try components.schema(of: AppError.self)
    }
    return JSONSchema.Member(member.name, schema.noted(note), isRequired: false)
  }
}

extension FaultReport: APIValue {
  package static func schema(_ components: SchemaComponents) throws -> JSONSchema {
    let members = try Fault.members(components).map { member in
      JSONSchema.Member(member.name, member.schema, isRequired: member.isRequired || member.name == "id")
    }
    return JSONSchema(.object(members + (try components.members(of: FaultReportMembers.self))))
  }
  package static var sample: FaultReport { FaultReport(unset: .sample) }
  package static var componentName: String? { "FaultReport" }
}
