import Foundation
import GRDB
import StoreModel

extension StoreRow {
  /// Nine digits. They are counted on from one epoch to the next, so that no two transactions of a store share theirs.
  static let sequences: Range<Int64> = 1..<1_000_000_000

  /// Where a snapshot's next transaction may be: the store that takes it over has at least a million left to make.
  static let restorableSequences = sequences.lowerBound...sequences.upperBound - 1_000_000

  /// More epochs than any store has; a larger number is damage.
  static let generations = 0..<1_000_000_000

  /// The row of a new store.
  ///
  /// - Parameter seed: nil for a random one.
  static func ofNewStore(seed given: UInt64?) -> StoreRow {
    let seed = Int64(bitPattern: given ?? UInt64.random(in: .min ... .max))
    let identity = InventedIdentity(seed: seed)
    return StoreRow(
      epoch: StoreEpoch(String(identity.number("epoch", in: epochs))), seed: seed,
      quoteKey: Data(identity.bytes("quoteKey", count: 32)), nextSequence: sequences.lowerBound,
      lastDate: StoreDate(millisecondsSince1970: 0), lastSignedDate: StoreDate(millisecondsSince1970: 0),
      isSeeded: given != nil)
  }

  /// Ten digits of epoch and nine of sequence are at most 8,999,999,999,999,999,999: they fit StoreKit 2's UInt64, and an
  /// Int64 too.
  private static let epochs: Range<UInt64> = 1_000_000_000..<9_000_000_000

  /// Begins the next epoch, under which no earlier quote is good.
  ///
  /// - Parameter earlier: an epoch that is over as well, and must not come back.
  mutating func beginNextEpoch(notIn earlier: StoreEpoch? = nil) {
    generation += 1
    let identity = InventedIdentity(seed: seed)
    let taken = [epoch, earlier]
    var attempt = 0
    while taken.contains(epoch) {
      // Where nobody asked for repeatable ids, a copy of this very store must not come upon the same ones.
      let number =
        isSeeded
        ? identity.number("epoch", "\(generation)", "\(attempt)", in: Self.epochs) : UInt64.random(in: Self.epochs)
      epoch = StoreEpoch(String(number))
      attempt += 1
    }
    quoteKey =
      isSeeded
      ? Data(identity.bytes("quoteKey", "\(generation)", count: 32))
      : Data((0..<32).map { _ in UInt8.random(in: .min ... .max) })
  }

  /// What becomes of this row when the books of `snapshot` take the place of its own.
  ///
  /// Counters and dates go on from the larger of both, so that nothing the outside has seen of either comes again.
  func restored(from snapshot: StoreRow) -> StoreRow {
    var row = snapshot
    row.isSeeded = isSeeded
    row.generation = max(generation, snapshot.generation)
    row.nextCustomerNumber = max(nextCustomerNumber, snapshot.nextCustomerNumber)
    row.nextSequence = max(nextSequence, snapshot.nextSequence)
    row.lastDate = max(lastDate, snapshot.lastDate)
    row.lastSignedDate = max(lastSignedDate, snapshot.lastSignedDate)
    row.receiptFloor = max(receiptFloor, snapshot.receiptFloor)
    row.beginNextEpoch(notIn: epoch)
    return row
  }
}
