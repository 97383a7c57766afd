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
