import Foundation

/// Something a device asks of a store. One type for each thing that can be asked.
public protocol StoreCall: Codable, Sendable {
  associatedtype Answer: Codable & Sendable

  static var verb: DeviceDoor.Verb { get }

  /// What the call is about; nothing, unless the type says more.
  var subject: CallSubject { get }

  /// Has `desk` answer the call.
  func answer(at desk: some AppStoreDesk, from installation: InstallationID) async throws -> Answer
}

/// What answers devices' calls: the store's side of an ``AppStoreConnection``.
public protocol AppStoreDesk: Sendable {
  /// Makes the installation known. Comes before anything else, and again after `unknownInstallation`.
  func register(_ registration: InstallationRegistration) async throws -> StoreGreeting

  /// Signs a customer in on the installation, in place of whoever was before.
  func signIn(_ credentials: SignInCredentials, from installation: InstallationID) async throws -> SignedInAccount

  /// Leaves nobody signed in on the installation.
  func signOut(from installation: InstallationID) async throws

  /// Lists products in the language and currency of the installation's storefront.
  func products(_ identifiers: [ProductID], from installation: InstallationID) async throws -> ProductList

  /// Says what a payment would cost the account that is signed in. Changes nothing.
  func quote(_ payment: PaymentRequest, from installation: InstallationID) async throws -> PaymentQuote

  /// Charges what the customer confirmed, or answers with what was decided for this payment id before.
  func confirm(_ quote: PaymentQuote, from installation: InstallationID) async throws -> ConfirmationResult

  /// The transactions this installation has not finished, oldest first.
  func unfinished(from installation: InstallationID) async throws -> DeliveryBatch

  /// Marks a transaction finished. Finishing again, or one this store never made, is refused or ignored, never an
  /// effect on another.
  func finish(_ transaction: TransactionID, from installation: InstallationID) async throws

  /// What the account that is signed in owns, a page at a time, oldest first. Asked again, it is delivered under new ids.
  ///
  /// - Parameter cursor: the last page's; nil for the first page.
  func restore(
    after cursor: RestoreCursor?, applicationUsername: String?, from installation: InstallationID
  ) async throws -> RestoredPage

  /// The installation's app receipt as of now, also where nothing was bought yet.
  func refreshReceipt(from installation: InstallationID) async throws -> Data

  /// What happened to the installation since `cursor`. Waits for something to happen, `waitSeconds` at most.
  func changes(
    after cursor: ChangeCursor, waitSeconds: Double, from installation: InstallationID
  ) async throws -> DeviceChanges
}
