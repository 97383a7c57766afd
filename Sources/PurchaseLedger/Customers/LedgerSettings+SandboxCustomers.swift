import StoreModel

extension LedgerSettings {
  /// Whether a customer may have purchases of an environment: those that the customer redeems, and those that an operator moves.
  func allows(_ environment: StoreEnvironment, for customer: CustomerStatus) -> Bool {
    guard environment == .sandbox, let sandboxCustomers else { return true }
    let names = [customer.subject, customer.customer.description].compactMap(\.self)
    return !sandboxCustomers.isDisjoint(with: names.map { CustomerName($0) })
  }
}
