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

/// Installations, in the order of their registration.
package struct InstallationList: APIObject {
  package let installations: [InstallationView]
  package init(installations: [InstallationView]) { self.installations = installations }
}

/// Approvals, oldest first.
package struct ApprovalList: APIObject {
  package let approvals: [ApprovalView]
  package init(approvals: [ApprovalView]) { self.approvals = approvals }
}

/// A page of the list of charges, newest first.
package struct ChargeList: APIObject {
  package let charges: [ChargeView]
  package let next: Int64?

  package static let notes = ["next": MemberNote.nextPage]

  package init(_ page: RecordPage<Charge>) {
    charges = page.records.map(ChargeView.init)
    next = page.next
  }
}

/// A page of the list of refunds and their reversals, newest first.
package struct RefundList: APIObject {
  package let refunds: [RefundView]
  package let next: Int64?

  package static let notes = ["next": MemberNote.nextPage]

  package init(_ page: RecordPage<Refund>) {
    refunds = page.records.map(RefundView.init)
    next = page.next
  }
}

extension MemberNote {
  static let nextPage: MemberNote = "The value of `before` for the next page; missing on the last page."
}

/// Faults, in the order in which they were set.
package struct FaultList: APIObject {
  package let faults: [FaultReport]
  package init(faults: [FaultReport]) { self.faults = faults }
}

/// The number of faults or requests that were removed.
package struct RemovedCount: APIObject {
  package let removed: Int
  package init(removed: Int) { self.removed = removed }
}

/// The number of requests that were released.
package struct ReleasedCount: APIObject {
  package let released: Int
  package init(released: Int) { self.released = released }
}
