import Foundation
import StoreModel

/// A JSON object of an API: the body, path or query of a request, or a response.
///
/// Its members are those of its `Codable` conformance. ``SchemaComponents`` derives the JSON schema from them, so each
/// member is declared only once, as a property.
package protocol APIObject: Codable, Sendable {
  /// The name of its schema in an OpenAPI document. By default the type's name without the suffix `View`.
  static var schemaName: String { get }
  /// Schema properties that the Swift types of the members do not express, such as descriptions and limits, by the
  /// member's name.
  static var notes: [String: MemberNote] { get }
  /// The description of the object; nil if it has none.
  static var schemaDescription: String? { get }
}

extension APIObject {
  package static var schemaName: String {
    let name = "\(Self.self)"
    return name.hasSuffix("View") ? String(name.dropLast(4)) : name
  }
  package static var notes: [String: MemberNote] { [:] }
  package static var schemaDescription: String? { nil }
}

/// An object without members.
package struct NoMembers: APIObject, Hashable {
  package init() {}
}

/// A value whose schema cannot be derived from `Codable`: it is encoded as a string or number, or by an encoding of its
/// own.
package protocol APIValue: Codable, Sendable {
  /// Returns the schema of the value.
  ///
  /// - Parameter components: returns the schemas of the types that the value consists of.
  /// - Throws: ``SchemaError``.
  static func schema(_ components: SchemaComponents) throws -> JSONSchema
  /// Any value of the type. ``SchemaComponents`` derives the schema of an object by decoding the object from the samples
  /// of its members.
  static var sample: Self { get }
  /// The name of its schema in an OpenAPI document; nil if the schema is repeated at each use of the value.
  static var componentName: String? { get }
}

extension APIValue {
  package static var componentName: String? { nil }
}

extension APIValue where Self: CaseIterable & RawRepresentable<String> {
  package static func schema(_ components: SchemaComponents) -> JSONSchema {
    JSONSchema(.string, values: allCases.map { .string($0.rawValue) })
  }
  package static var sample: Self { allCases.first! }
}

extension APIValue where Self: CaseIterable & RawRepresentable<Int> {
  package static func schema(_ components: SchemaComponents) -> JSONSchema {
    JSONSchema(.integer, values: allCases.map { .integer(Int64($0.rawValue)) })
  }
  package static var sample: Self { allCases.first! }
}

extension APIValue where Self: StringIdentifier {
  package static func schema(_ components: SchemaComponents) -> JSONSchema { JSONSchema(.string) }
  package static var sample: Self { Self("sample") }
}

extension String: APIValue {
  package static func schema(_ components: SchemaComponents) -> JSONSchema { JSONSchema(.string) }
  package static var sample: String { "sample" }
}

extension Bool: APIValue {
  package static func schema(_ components: SchemaComponents) -> JSONSchema { JSONSchema(.boolean) }
  package static var sample: Bool { false }
}

extension Int: APIValue {
  package static func schema(_ components: SchemaComponents) -> JSONSchema { JSONSchema(.integer) }
  package static var sample: Int { 1 }
}

extension Int64: APIValue {
  package static func schema(_ components: SchemaComponents) -> JSONSchema { JSONSchema(.integer64) }
  package static var sample: Int64 { 1 }
}

extension Double: APIValue {
  package static func schema(_ components: SchemaComponents) -> JSONSchema { JSONSchema(.number) }
  package static var sample: Double { 1 }
}

extension Data: APIValue {
  package static func schema(_ components: SchemaComponents) -> JSONSchema { JSONSchema(.base64) }
  package static var sample: Data { Data() }
}

extension StoreDate: APIValue {
  package static func schema(_ components: SchemaComponents) -> JSONSchema { JSONSchema(.integer64) }
  package static var sample: StoreDate { StoreDate(millisecondsSince1970: 0) }
}

extension Milliunits: APIValue {
  package static func schema(_ components: SchemaComponents) -> JSONSchema { JSONSchema(.integer64) }
  package static var sample: Milliunits { .zero }
}

extension TransactionID: APIValue {
  package static func schema(_ components: SchemaComponents) -> JSONSchema {
    JSONSchema(.string, note: MemberNote(pattern: "^[0-9]{1,20}$"))
  }
  package static var sample: TransactionID { TransactionID(rawValue: "1")! }
}

extension StoreEnvironment: APIValue {
  /// Omits the environment `Xcode`, because no server issues transactions of that environment.
  package static func schema(_ components: SchemaComponents) -> JSONSchema {
    JSONSchema(.string, values: [.string("Production"), .string("Sandbox")])
  }
  package static var sample: StoreEnvironment { .sandbox }
  package static var componentName: String? { "Environment" }
}

extension ProductType: APIValue {
  package static var componentName: String? { "ProductType" }
}

extension BundleID: APIValue {}
extension ProductID: APIValue {}
extension AccountName: APIValue {}
extension SubscriptionGroupID: APIValue {}
extension StoreEpoch: APIValue {}
extension PaymentID: APIValue {}
extension InstallationID: APIValue {}
extension OwnershipType: APIValue {}
extension RevocationReason: APIValue {}
extension RevocationType: APIValue {}
