import APIDescription
import Foundation
import StoreModel

/// The store's epoch after a reset or a restored snapshot.
package struct EpochView: APIObject {
  package let epoch: StoreEpoch

  package static let notes: [String: MemberNote] = ["epoch": "Ten digits with which every new transaction id begins."]

  package init(_ epoch: StoreEpoch) { self.epoch = epoch }
}

/// A snapshot of the whole store, without its keys.
package struct SnapshotView: APIObject {
  package let snapshot: Data

  package static let notes: [String: MemberNote] = ["snapshot": "A SQLite database."]

  package init(_ snapshot: Data) { self.snapshot = snapshot }
}

/// The body of every refused request.
package struct RefusalBody: APIObject {
  package static let schemaName = "Refused"

  package struct Reason: APIObject {
    package static let schemaName = "RefusalReason"

    package let code: String
    package let message: String

    package static let notes: [String: MemberNote] = [
      "code": "For programs.", "message": "For people: what is wrong, and what to do.",
    ]
  }

  package let error: Reason
}
