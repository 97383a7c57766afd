import AppStoreEmulator
import Foundation
import StoreModel

/// A customer, as sent and as taken.
struct CustomerView: Codable, Sendable {
  let environment: StoreEnvironment
  let name: AccountName
  let password: String?
  let storefront: String?
  let paymentMethod: Customer.PaymentMethod?
  let needsApproval: Bool?
  let family: String?

  init(_ customer: Customer) {
    environment = customer.environment
    name = customer.name
    password = customer.password
    storefront = customer.storefrontCountryCode
    paymentMethod = customer.paymentMethod
    needsApproval = customer.needsApproval
    family = customer.family
  }

  var customer: Customer {
    Customer(
      environment: environment, name: name, password: password, storefrontCountryCode: storefront ?? "USA",
      paymentMethod: paymentMethod ?? .valid, needsApproval: needsApproval ?? false, family: family)
  }
}

/// What may be changed of a customer; what is left out stays. A password or family that is null is taken away.
struct CustomerChange: Decodable, Sendable {
  let password: String??
  let storefront: String?
  let paymentMethod: Customer.PaymentMethod?
  let needsApproval: Bool?
  let family: String??

  private enum CodingKeys: String, CodingKey { case password, storefront, paymentMethod, needsApproval, family }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    password =
      container.contains(.password) ? .some(try container.decodeIfPresent(String.self, forKey: .password)) : nil
    storefront = try container.decodeIfPresent(String.self, forKey: .storefront)
    paymentMethod = try container.decodeIfPresent(Customer.PaymentMethod.self, forKey: .paymentMethod)
    needsApproval = try container.decodeIfPresent(Bool.self, forKey: .needsApproval)
    family = container.contains(.family) ? .some(try container.decodeIfPresent(String.self, forKey: .family)) : nil
  }
}
