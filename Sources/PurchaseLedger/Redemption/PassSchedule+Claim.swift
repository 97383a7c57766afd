import StoreModel

extension PassSchedule {
  /// Notes that a claim was given to `customer`, or ended or taken from them. Claims of other types are ignored.
  mutating func note(_ claim: Claim, of customer: CustomerID) {
    guard claim.accessDays != nil else { return }
    note(
      Place(purchased: claim.purchased, source: claim.source),
      of: Passes(customer: customer, app: claim.key.app, product: claim.product))
  }
}

extension LedgerTransaction {
  /// Schedules the passes after a purchase whose entitlement has ended. Does nothing if `source` is no pass.
  func schedulePasses(after source: String, of customer: CustomerID, app: BundleID) throws {
    guard let id = TransactionID(rawValue: source) else { return }
    var passes = PassSchedule()
    for environment in StoreEnvironment.allCases {
      let claim = try claim(PurchaseKey(app: app, environment: environment, id: id))
      if let claim, claim.customer == customer { passes.note(claim, of: customer) }
    }
    try apply(passes)
  }
}
