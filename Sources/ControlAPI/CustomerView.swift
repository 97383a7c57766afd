import APIDescription
import AppStoreEmulator
import Foundation
import StoreModel

/// A customer, in requests and answers.
package struct CustomerView: APIObject {
  package let environment: StoreEnvironment
  package let name: AccountName
  package let password: String?
  package let storefront: String?
  package let paymentMethod: Customer.PaymentMethod?
  package let needsApproval: Bool?
  package let family: String?

  package static let notes: [String: MemberNote] = [
    "name": .init(minLength: 1),
    "password": .init("Without a password, any password signs in, or none.", isNullable: true),
    "storefront": .init(
      "One of the 175 storefronts of the App Store: ISO 3166-1 alpha-3, or XKS for Kosovo.",
      defaultValue: .string("USA")),
    "needsApproval": .init(
      "Whether another person has to approve every payment (Ask to Buy).", defaultValue: .boolean(false)),
    "family": .init(
      "Customers of one family share what is family-shareable. Null: no family.", minLength: 1, isNullable: true),
  ]

  package init(_ customer: Customer) {
    environment = customer.environment
    name = customer.name
    password = customer.password
    storefront = customer.storefrontCountryCode
    paymentMethod = customer.paymentMethod
    needsApproval = customer.needsApproval
    family = customer.family
  }

  package var customer: Customer {
    Customer(
      environment: environment, name: name, password: password, storefrontCountryCode: storefront ?? "USA",
      paymentMethod: paymentMethod ?? .valid, needsApproval: needsApproval ?? false, family: family)
  }
}

/// A change of a customer. Missing members are left unchanged. A password or family that is null is removed.
package struct CustomerChange: APIObject {
  package let password: String??
  package let storefront: String?
  package let paymentMethod: Customer.PaymentMethod?
  package let needsApproval: Bool?
  package let family: String??

  package static let notes: [String: MemberNote] = [
    "password": .init("Null removes it.", isNullable: true),
    "storefront": "One of the 175 storefronts of the App Store: ISO 3166-1 alpha-3, or XKS for Kosovo.",
    "needsApproval": .init(
      "Whether another person has to approve every payment (Ask to Buy).", defaultValue: .boolean(false)),
    "family": .init(
      "Customers of one family share what is family-shareable. Null: no family.", minLength: 1, isNullable: true),
  ]

  private enum CodingKeys: String, CodingKey { case password, storefront, paymentMethod, needsApproval, family }

  package init(
    password: String?? = nil, storefront: String? = nil, paymentMethod: Customer.PaymentMethod? = nil,
    needsApproval: Bool? = nil, family: String?? = nil
  ) {
    self.password = password
    self.storefront = storefront
    self.paymentMethod = paymentMethod
    self.needsApproval = needsApproval
    self.family = family
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    password =
      container.contains(.password) ? .some(try container.decodeIfPresent(String.self, forKey: .password)) : nil
    storefront = try container.decodeIfPresent(String.self, forKey: .storefront)
    paymentMethod = try container.decodeIfPresent(Customer.PaymentMethod.self, forKey: .paymentMethod)
    needsApproval = try container.decodeIfPresent(Bool.self, forKey: .needsApproval)
    family = container.contains(.family) ? .some(try container.decodeIfPresent(String.self, forKey: .family)) : nil
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    if let password { try container.encode(password, forKey: .password) }
    try container.encodeIfPresent(storefront, forKey: .storefront)
    try container.encodeIfPresent(paymentMethod, forKey: .paymentMethod)
    try container.encodeIfPresent(needsApproval, forKey: .needsApproval)
    if let family { try container.encode(family, forKey: .family) }
  }
}

extension Customer.PaymentMethod: APIValue {
  package static func schema(_ components: SchemaComponents) -> JSONSchema {
    JSONSchema(
      .string, values: allCases.map { .string($0.rawValue) },
      note: """
        A payment of a customer whose account needs attention is interrupted: it fails, and the purchase goes on when the payment method \
        is valid again. If the customer needs approval by then, it waits for approval first.
        """)
  }
  package static var componentName: String? { "PaymentMethod" }
}
