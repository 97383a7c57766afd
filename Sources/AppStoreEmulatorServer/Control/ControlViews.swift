import AppStoreEmulator
import Foundation
import SignedData
import StoreModel

// What the control door sends and takes, in the names its description (`/control/openapi.json`) uses.

/// All that a client of this store needs.
struct ConnectionView: Encodable, Sendable {
  struct BaseURLs: Encodable, Sendable {
    let production: String
    let sandbox: String
  }

  /// Base64 of the DER root of signed transactions.
  let rootCertificate: Data
  let receiptRootCertificate: Data
  let tlsRootCertificate: Data
  let intermediateCertificates: [Data]
  let bundleId: BundleID
  let appAppleId: Int64
  let issuerId: String
  let keyId: String
  /// PEM, PKCS#8.
  let privateKey: String
  let sharedSecret: String
  let baseURLs: BaseURLs

  init(app: StoreApp, authority: IssuingAuthority, address: String) throws {
    rootCertificate = Data(try authority.jwsRootCertificate)
    receiptRootCertificate = Data(try authority.receiptRootCertificate)
    tlsRootCertificate = Data(try authority.tlsRootCertificate)
    intermediateCertificates = [
      Data(try authority.jwsIntermediateCertificate), Data(try authority.receiptIntermediateCertificate),
    ]
    bundleId = app.bundleID
    appAppleId = app.appAppleID
    issuerId = app.issuerID
    keyId = try authority.apiKeyID()
    privateKey = try authority.apiKey()
    sharedSecret = app.sharedSecret
    baseURLs = BaseURLs(production: "\(address)/production", sandbox: "\(address)/sandbox")
  }
}

/// An app and its catalog.
struct AppView: Encodable, Sendable {
  struct Product: Encodable, Sendable {
    let productId: ProductID
    let type: ProductType
    let referenceName: String
    /// In thousandths of the storefront's currency.
    let price: Milliunits
  }

  let bundleId: BundleID
  let appAppleId: Int64
  let products: [Product]

  init(_ app: StoreApp, catalog: [ProductDefinition]) {
    bundleId = app.bundleID
    appAppleId = app.appAppleID
    products = catalog.map {
      Product(productId: $0.productID, type: $0.type, referenceName: $0.referenceName, price: $0.price)
    }
  }
}

/// A customer, as sent and as taken.
struct CustomerView: Codable, Sendable {
  let environment: StoreEnvironment
  let name: AccountName
  let password: String?
  let storefront: String?
  let paymentMethod: Customer.PaymentMethod?

  init(_ customer: Customer) {
    environment = customer.environment
    name = customer.name
    password = customer.password
    storefront = customer.storefrontCountryCode
    paymentMethod = customer.paymentMethod
  }

  var customer: Customer {
    Customer(
      environment: environment, name: name, password: password, storefrontCountryCode: storefront ?? "USA",
      paymentMethod: paymentMethod ?? .valid)
  }
}

/// What may be changed of a customer; what is left out stays. A password that is null is taken away.
struct CustomerChange: Decodable, Sendable {
  let password: String??
  let storefront: String?
  let paymentMethod: Customer.PaymentMethod?

  private enum CodingKeys: String, CodingKey { case password, storefront, paymentMethod }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    password =
      container.contains(.password) ? .some(try container.decodeIfPresent(String.self, forKey: .password)) : nil
    storefront = try container.decodeIfPresent(String.self, forKey: .storefront)
    paymentMethod = try container.decodeIfPresent(Customer.PaymentMethod.self, forKey: .paymentMethod)
  }
}

/// A purchase on a customer's behalf.
struct PurchaseOrder: Decodable, Sendable {
  let bundleId: BundleID
  let environment: StoreEnvironment
  let customer: AccountName
  let productId: ProductID
  let quantity: Int?
  let applicationUsername: String?
  let installationId: InstallationID?
}

/// A transaction: the names of signed transactions for the record, and what the store keeps beside it.
struct TransactionView: Encodable, Sendable {
  let transactionId: TransactionID
  let originalTransactionId: TransactionID
  let bundleId: BundleID
  let environment: StoreEnvironment
  let productId: ProductID
  let type: ProductType
  let quantity: Int
  /// In thousandths of the currency: quantity and offer included.
  let price: Milliunits
  let currency: String
  let storefront: String
  /// UNIX milliseconds.
  let purchaseDate: StoreDate
  let originalPurchaseDate: StoreDate
  let appAccountToken: String?
  let applicationUsername: String?
  let customer: AccountName
  let installationId: InstallationID?
  let finishedDate: StoreDate?

  init(_ stored: StoredTransaction) {
    let record = stored.record
    transactionId = record.transactionID
    originalTransactionId = record.originalTransactionID
    bundleId = record.bundleID
    environment = record.environment
    productId = record.productID
    type = record.type
    quantity = record.quantity
    price = record.price
    currency = record.currency
    storefront = record.storefrontCountryCode
    purchaseDate = record.purchaseDate
    originalPurchaseDate = record.originalPurchaseDate
    appAccountToken = record.appAccountToken?.uuidString.lowercased()
    applicationUsername = record.applicationUsername
    customer = stored.account
    installationId = stored.installationID
    finishedDate = stored.finishedDate
  }
}

/// One charge.
struct ChargeView: Encodable, Sendable {
  let transactionId: TransactionID
  let bundleId: BundleID
  let environment: StoreEnvironment
  let customer: AccountName
  let productId: ProductID
  /// In thousandths of the currency.
  let amount: Milliunits
  let currency: String
  /// UNIX milliseconds.
  let date: StoreDate

  init(_ charge: Charge) {
    transactionId = charge.transactionID
    bundleId = charge.bundleID
    environment = charge.environment
    customer = charge.account
    productId = charge.productID
    amount = charge.amount
    currency = charge.currency
    date = charge.date
  }
}
