import APIDescription
import AppStoreEmulator

package struct AppList: APIObject {
  package let apps: [AppView]
  package init(apps: [AppView]) { self.apps = apps }
}

package struct CustomerList: APIObject {
  package let customers: [CustomerView]
  package init(customers: [CustomerView]) { self.customers = customers }
}

/// In the order in which they registered.
package struct InstallationList: APIObject {
  package let installations: [InstallationView]
  package init(installations: [InstallationView]) { self.installations = installations }
}

/// Oldest first.
package struct ApprovalList: APIObject {
  package let approvals: [ApprovalView]
  package init(approvals: [ApprovalView]) { self.approvals = approvals }
}

/// Newest first.
package struct ChargeList: APIObject {
  package let charges: [ChargeView]
  package init(charges: [ChargeView]) { self.charges = charges }
}

/// Newest first.
package struct RefundList: APIObject {
  package let refunds: [RefundView]
  package init(refunds: [RefundView]) { self.refunds = refunds }
}

/// In the order in which they were set.
package struct FaultList: APIObject {
  package let faults: [FaultReport]
  package init(faults: [FaultReport]) { self.faults = faults }
}

/// How many faults or requests were removed.
package struct RemovedCount: APIObject {
  package let removed: Int
  package init(removed: Int) { self.removed = removed }
}

/// How many requests were released.
package struct ReleasedCount: APIObject {
  package let released: Int
  package init(released: Int) { self.released = released }
}
