import SignedData
import StoreModel

/// Who asks: a customer, and how that is known.
public struct Claimant: Hashable, Sendable {
  /// Who.
  public let customer: CustomerID
  /// Whether the operator's own identity system names the customer. Otherwise an installation's token does.
  public let isIdentified: Bool
  /// The device that was registered with the token: what a proof has to be issued for, to bring back what another
  /// installation claimed.
  public let device: DeviceIdentifier?
  /// The app of the token; nil for an identified customer, whom no app owns.
  public let app: BundleID?
  /// When this installation registered, by the server's clock; nil for an identified customer. Only a proof that the
  /// store made later can show that the installation is the same store account as an earlier one.
  public let registered: StoreDate?

  public init(
    customer: CustomerID, isIdentified: Bool, device: DeviceIdentifier? = nil, app: BundleID? = nil,
    registered: StoreDate? = nil
  ) {
    self.customer = customer
    self.isIdentified = isIdentified
    self.device = device
    self.app = app
    self.registered = registered
  }
}

/// A new anonymous customer.
public struct RegisteredInstallation: Sendable {
  public let customer: CustomerID
  /// Told once; the ledger keeps its hash.
  public let token: BearerToken
}
