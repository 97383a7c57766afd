import APIDescription
import AppStoreEmulator

/// A page of the apps, by bundle id.
package struct AppList: PagedList {
  package private(set) var apps: [AppView]
  package private(set) var next: PageCursor?

  package static let notes: [String: MemberNote] = [
    "next": "`after` for the next page, which can follow a short page; missing on the last page."
  ]

  package init(_ page: ListPage<AppOnSale>) {
    apps = page.elements.map { AppView($0.app, catalog: $0.catalog) }
    next = page.next.map(PageCursor.init)
  }

  package mutating func append(_ page: AppList) { (apps, next) = (apps + page.apps, page.next) }
}

/// A page of the customers, by environment and name.
package struct CustomerList: PagedList {
  package private(set) var customers: [CustomerView]
  package private(set) var next: PageCursor?

  package static let notes: [String: MemberNote] = ["next": .nextPageAfter]

  package init(_ page: ListPage<Customer>) {
    customers = page.elements.map(CustomerView.init)
    next = page.next.map(PageCursor.init)
  }

  package mutating func append(_ page: CustomerList) { (customers, next) = (customers + page.customers, page.next) }
}

/// A page of the installations, in the order of their registration.
package struct InstallationList: PagedList {
  package private(set) var installations: [InstallationView]
  package private(set) var next: PageCursor?

  package static let notes: [String: MemberNote] = ["next": .nextPageAfter]

  package init(_ page: ListPage<Installation>) {
    installations = page.elements.map(InstallationView.init)
    next = page.next.map(PageCursor.init)
  }

  package mutating func append(_ page: InstallationList) {
    (installations, next) = (installations + page.installations, page.next)
  }
}

/// A page of the approvals, oldest first.
package struct ApprovalList: PagedList {
  package private(set) var approvals: [ApprovalView]
  package private(set) var next: PageCursor?

  package static let notes: [String: MemberNote] = ["next": .nextPageAfter]

  package init(_ page: ListPage<PendingApproval>) {
    approvals = page.elements.map(ApprovalView.init)
    next = page.next.map(PageCursor.init)
  }

  package mutating func append(_ page: ApprovalList) { (approvals, next) = (approvals + page.approvals, page.next) }
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
