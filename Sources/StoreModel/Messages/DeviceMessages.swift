import Foundation

/// What an installation says of itself at first contact. Registering again changes nothing but the version.
public struct InstallationRegistration: Hashable, Codable, Sendable {
  public let installationID: InstallationID
  public let bundleID: BundleID
  public let environment: StoreEnvironment
  /// The device's `identifierForVendor`; receipts are bound to it.
  public let deviceID: UUID
  public let applicationVersion: String

  public init(
    installationID: InstallationID, bundleID: BundleID, environment: StoreEnvironment, deviceID: UUID,
    applicationVersion: String
  ) {
    self.installationID = installationID
    self.bundleID = bundleID
    self.environment = environment
    self.deviceID = deviceID
    self.applicationVersion = applicationVersion
  }
}

/// The store's answer to a registration.
public struct StoreGreeting: Hashable, Codable, Sendable {
  public let epoch: StoreEpoch
  /// DER of the root that every signed transaction of this store chains to.
  public let rootCertificate: Data
  /// DER of the root that every receipt of this store chains to.
  public let receiptRootCertificate: Data
  /// The account signed in on this installation, if any.
  public let account: AccountName?
  public let storefrontCountryCode: String

  public init(
    epoch: StoreEpoch, rootCertificate: Data, receiptRootCertificate: Data, account: AccountName?,
    storefrontCountryCode: String
  ) {
    self.epoch = epoch
    self.rootCertificate = rootCertificate
    self.receiptRootCertificate = receiptRootCertificate
    self.account = account
    self.storefrontCountryCode = storefrontCountryCode
  }
}

/// A customer's name and password.
public struct SignInCredentials: Hashable, Codable, Sendable {
  public let account: AccountName
  public let password: String?

  public init(account: AccountName, password: String? = nil) {
    self.account = account
    self.password = password
  }
}

/// Who is signed in on an installation.
public struct SignedInAccount: Hashable, Codable, Sendable {
  public let account: AccountName
  public let storefrontCountryCode: String

  public init(account: AccountName, storefrontCountryCode: String) {
    self.account = account
    self.storefrontCountryCode = storefrontCountryCode
  }
}

/// The products of a request, and the ids the store does not know.
public struct ProductList: Hashable, Codable, Sendable {
  public let products: [ProductListing]
  public let invalidProductIDs: [ProductID]

  public init(products: [ProductListing], invalidProductIDs: [ProductID]) {
    self.products = products
    self.invalidProductIDs = invalidProductIDs
  }
}

/// A transaction on its way to the device that paid, until that device finishes it.
public struct TransactionDelivery: Hashable, Codable, Sendable {
  /// The payment it answers; nil for a purchase made outside the app.
  public let paymentID: PaymentID?
  /// The transaction as a compact JWS. Only what is signed in it is to be believed.
  public let signedTransaction: String
  /// What the app gave as `SKPayment.applicationUsername`, which a signed transaction holds only if it is a UUID.
  public let applicationUsername: String?

  public init(paymentID: PaymentID?, signedTransaction: String, applicationUsername: String?) {
    self.paymentID = paymentID
    self.signedTransaction = signedTransaction
    self.applicationUsername = applicationUsername
  }
}

/// Transactions, and the app receipt that goes with them.
public struct DeliveryBatch: Hashable, Codable, Sendable {
  public let deliveries: [TransactionDelivery]
  /// The newest app receipt of the installation (DER); nil where the account has never bought anything.
  public let receipt: Data?

  public init(deliveries: [TransactionDelivery], receipt: Data?) {
    self.deliveries = deliveries
    self.receipt = receipt
  }
}

/// The store's answer to a confirmation.
public enum ConfirmationResult: Hashable, Codable, Sendable {
  /// Charged, now or when this payment id was first confirmed.
  case purchased(DeliveryBatch)
  /// The quote no longer holds; nothing was charged. The customer is to be asked again with this one.
  case stale(PaymentQuote)
}

extension ConfirmationResult {
  private enum CodingKeys: String, CodingKey { case purchased, stale }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let batch = try container.decodeIfPresent(DeliveryBatch.self, forKey: .purchased) {
      self = .purchased(batch)
    } else {
      self = .stale(try container.decode(PaymentQuote.self, forKey: .stale))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .purchased(let batch): try container.encode(batch, forKey: .purchased)
    case .stale(let quote): try container.encode(quote, forKey: .stale)
    }
  }
}
