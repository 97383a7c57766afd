import APIDescription
import AppStoreEmulator
import SignedData
import StoreModel

extension RequestKind: APIValue {
  package static var componentName: String? { "RequestKind" }
}

extension RequestOutcome.Name: APIValue {
  package static var componentName: String? { "RequestOutcome" }
}

extension SigningChain: APIValue {
  package static var componentName: String? { "SigningChain" }
}

extension StoreRefusal.Code: APIValue {}
extension FaultID: APIValue {}

extension JournaledRequest.StruckBy: APIObject {
  package static let schemaName = "RequestFault"
}

extension FaultScope: APIValue {
  package static func schema(_ components: SchemaComponents) throws -> JSONSchema {
    JSONSchema(
      .object(try components.members(of: FaultScopeMembers.self)),
      note: "The requests that the fault is for. Members that are missing admit everything.")
  }
  package static var sample: FaultScope { FaultScope() }
  package static var componentName: String? { "FaultScope" }
}

/// The members of ``FaultScope``, from which its schema is derived. ``FaultScope`` itself has custom decoding that
/// rejects other members.
private struct FaultScopeMembers: APIObject {
  let calls: [RequestKind]?
  let environment: StoreEnvironment?
  let customer: AccountName?
  let bundleId: BundleID?
  let productId: ProductID?
  let installationId: InstallationID?

  static let notes: [String: MemberNote] = [
    "calls": "By default the calls that this kind of fault usually strikes.",
    "customer": "The customer who pays, signs in, or is signed in.",
    "productId": "Only products, quote, confirm and notification name products.",
  ]
}

extension AppError: APIObject {
  package static let schemaDescription: String? = "The error that apps receive."
  package static let notes: [String: MemberNote] = [
    "domain": .init("Such as SKErrorDomain or SSServerErrorDomain.", minLength: 1)
  ]
}

extension AppError.Underlying: APIObject {
  package static let schemaName = "UnderlyingError"
}
