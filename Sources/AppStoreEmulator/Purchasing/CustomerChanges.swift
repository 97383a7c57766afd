import GRDB
import StoreModel

extension StoreUnitOfWork {
  var customerChanges: CustomerChanges { CustomerChanges(work: self) }
}

/// Changes customers, and applies the consequences for their purchases and devices.
struct CustomerChanges {
  let work: StoreUnitOfWork

  /// - Throws: ``AppStoreEmulatorError``.
  func add(_ customer: Customer) throws {
    try work.customers.add(customer)
    if customer.family != nil { try work.familySharing.familyChanged(of: customer, before: nil) }
  }

  /// Changes a customer. Earlier purchases keep their storefront and price.
  ///
  /// - Parameter resumesPurchases: whether the customer's interrupted purchases are made if the payment method is valid now.
  /// - Throws: ``AppStoreEmulatorError``.
  func change(
    _ name: AccountName, _ environment: StoreEnvironment, resumesPurchases: Bool = true,
    _ change: (inout Customer) -> Void
  ) throws -> Customer {
    let before = try work.customers.customer(name, environment).customer
    var customer = before
    change(&customer)
    try customer.check(in: work.environments)
    try customer.update(work.database)
    if customer.storefrontCountryCode != before.storefrontCountryCode {
      try work.events.record(.customerStorefrontChanged(customer))
    }
    if customer.family != before.family {
      try work.familySharing.familyChanged(of: customer, before: before.family)
    }
    if customer.needsApproval && !before.needsApproval {
      try work.interruptedPurchases.submitForApproval(of: name, environment)
    }
    if customer.paymentMethod == .valid {
      try work.renewals.recover(name, environment)
      if resumesPurchases { try work.interruptedPurchases.resume(of: name, environment) }
    }
    return customer
  }
}
