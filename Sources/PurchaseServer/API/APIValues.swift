import APIDescription
import Foundation
import PurchaseLedger
import StoreModel

extension CustomerID: APIValue {
  package static func schema(_ components: SchemaComponents) -> JSONSchema {
    JSONSchema(
      .string, note: MemberNote("Apps set it as applicationUsername and appAccountToken.", format: "uuid"))
  }
  package static var sample: CustomerID { CustomerID(rawValue: UUID()) }
  package static var componentName: String? { "CustomerId" }
}

extension CreditUnit: APIValue {
  package static func schema(_ components: SchemaComponents) -> JSONSchema {
    JSONSchema(.string, note: MemberNote("The kind of credits, such as coins.", pattern: "^[A-Za-z0-9._-]{1,64}$"))
  }
  package static var sample: CreditUnit { CreditUnit(rawValue: "coins")! }
  package static var componentName: String? { "CreditUnit" }
}

extension LedgerIncarnation: APIValue {
  package static func schema(_ components: SchemaComponents) -> JSONSchema {
    JSONSchema(
      .string,
      note: MemberNote(
        """
        The history that movement numbers count. It changes when the ledger is restored. Only numbers of the same incarnation can be \
        compared.
        """, format: "uuid"))
  }
  package static var sample: LedgerIncarnation { LedgerIncarnation(UUID()) }
  package static var componentName: String? { "Incarnation" }
}

extension CreditMovement.Cause: APIValue {}
extension CreditMovement.CounterAccount: APIValue {}

extension LedgerEntitlement.Origin: APIValue {
  package static var componentName: String? { "EntitlementOrigin" }
}

extension LedgerEntitlement.EndReason: APIValue {
  package static var componentName: String? { "EntitlementEnd" }
}

/// A SHA-256 digest as text.
struct DigestText: APIValue, Hashable, RawRepresentable {
  /// 64 hexadecimal digits in lower case. A value that a client sent is not checked here, and may be another text.
  let rawValue: String

  static func schema(_ components: SchemaComponents) -> JSONSchema {
    JSONSchema(.string, note: MemberNote(pattern: SHA256Text.pattern))
  }
  static var sample: DigestText { DigestText(rawValue: "") }
  static var componentName: String? { "SHA256" }
}

extension ListOrder: APIValue {
  package static var componentName: String? { "ListOrder" }
}

/// A JSON object of any kind.
struct AnyObject: APIValue {
  static func schema(_ components: SchemaComponents) -> JSONSchema { JSONSchema(.anyObject) }
  static var sample: AnyObject { AnyObject() }
}

// MARK: Paths and queries

/// The path of an endpoint of an app.
struct AppPath: APIObject {
  let bundleId: BundleID

  static let notes: [String: MemberNote] = ["bundleId": MemberNote("The app.", minLength: 1)]
}

struct CreditPath: APIObject {
  let bundleId: BundleID
  let unit: CreditUnit
}

struct ProductPath: APIObject {
  let bundleId: BundleID
  let productId: ProductID

  static let notes: [String: MemberNote] = ["productId": MemberNote(minLength: 1, maxLength: 255)]
}

struct CustomerPath: APIObject {
  let customer: CustomerID
}

struct AppCustomerPath: APIObject {
  let bundleId: BundleID
  let customer: CustomerID
}

/// The query of a list whose pages have 100 elements, unless the caller asks for another number.
protocol ListQuery: APIObject {
  var limit: Int64? { get }
}

extension ListQuery {
  /// The number of elements on a page.
  var count: Int { Int(limit ?? 100) }
}

extension MemberNote {
  /// The number of elements on a page. The ledger refuses numbers outside the range.
  static let pageLimit = MemberNote("The number of elements on a page: 1 to 1,000.", defaultValue: .integer(100))
}

/// The body of the response to a refused request.
struct RefusalBody: APIObject {
  let error: RefusalView

  static let schemaName = "Refused"
}
