import SignedData
import StoreModel

/// The authenticated customer of a request, and how the customer was authenticated.
public struct Claimant: Hashable, Sendable {
  public let customer: CustomerID
  /// Whether the operator's identity system authenticated the customer. Otherwise the token of an installation did.
  public let isIdentified: Bool
  /// The device that was registered with the token. Claims of an earlier installation are restored only with a proof
  /// that was issued for this device.
  public let device: DeviceIdentifier?
  /// The app of the token; nil for an identified customer, who may use all apps.
  public let app: BundleID?
  /// When this installation registered, by the store's clock; nil for an identified customer. Only a proof that the
  /// store signed after this date shows that this installation has the same store account as an earlier installation.
  public let registered: StoreDate?
  /// When this installation registered, by the server's clock; nil for an identified customer.
  public let issued: StoreDate?

  public init(
    customer: CustomerID, isIdentified: Bool, device: DeviceIdentifier? = nil, app: BundleID? = nil,
    registered: StoreDate? = nil, issued: StoreDate? = nil
  ) {
    self.customer = customer
    self.isIdentified = isIdentified
    self.device = device
    self.app = app
    self.registered = registered
    self.issued = issued
  }
}

/// A new anonymous customer.
public struct RegisteredInstallation: Sendable {
  public let customer: CustomerID
  /// The new customer's token. It is returned only here; the ledger stores its hash.
  public let token: BearerToken
}
