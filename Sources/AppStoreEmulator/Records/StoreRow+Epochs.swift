import Foundation
import GRDB
import StoreModel

extension StoreRow {
  /// The valid sequence numbers, with at most nine digits. They continue from one epoch to the next, so all sequence
  /// numbers of a store are unique.
  static let sequences: Range<Int64> = 1..<1_000_000_000

  /// The valid values of a snapshot's next sequence number. At least a million numbers are left after it is restored.
  static let restorableSequences = sequences.lowerBound...sequences.upperBound - 1_000_000

  /// The valid values of `generation`. A larger number means that the row is damaged.
  static let generations = 0..<1_000_000_000

  /// The row of a new store.
  ///
  /// - Parameter seed: nil for a random seed.
  static func ofNewStore(seed given: UInt64?) -> StoreRow {
    let seed = Int64(bitPattern: given ?? UInt64.random(in: .min ... .max))
    let identity = InventedIdentity(seed: seed)
    return StoreRow(
      epoch: StoreEpoch(String(identity.number("epoch", in: epochs))), seed: seed,
      quoteKey: Data(identity.bytes("quoteKey", count: 32)), nextSequence: sequences.lowerBound,
      lastDate: StoreDate(millisecondsSince1970: 0), lastSignedDate: StoreDate(millisecondsSince1970: 0),
      isSeeded: given != nil)
  }

  /// The valid epochs. A transaction id is ten digits of the epoch and nine of the sequence number, so it is at most
  /// 8,999,999,999,999,999,999. This fits into StoreKit 2's UInt64, and into an Int64.
  private static let epochs: Range<UInt64> = 1_000_000_000..<9_000_000_000

  /// Begins the next epoch. Quotes of earlier epochs are no longer valid.
  ///
  /// - Parameter earlier: another epoch that must not be used again.
  mutating func beginNextEpoch(notIn earlier: StoreEpoch? = nil) {
    generation += 1
    let identity = InventedIdentity(seed: seed)
    let taken = [epoch, earlier]
    var attempt = 0
    while taken.contains(epoch) {
      // The number is random unless the operator chose a seed, so that copies of this store have different epochs and
      // keys.
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

  /// 2026-01-01T00:00:00Z: no store of this program was opened before.
  private static let firstOpening = StoreDate(millisecondsSince1970: 1_767_225_600_000)

  /// The maximum number of transaction numbers that an opening skips at random.
  private static let largestSkip: Int64 = 100_000

  /// The largest sequence number of a change that the store may have made before `date`, at one per millisecond. At most
  /// 900 billion, because a snapshot's sequence numbers have 12 digits.
  static func changesBefore(_ date: StoreDate) -> Int64 {
    min(date.millisecondsSince1970 - firstOpening.millisecondsSince1970, 900_000_000_000)
  }

  /// Moves the next numbers of transactions and revisions past those that a later state of this store may have used. The
  /// folder may be an older copy that was put back, and ids that were given since then must not be given to other
  /// transactions.
  ///
  /// If the operator chose the seed, no transaction number is skipped: the same seed and requests give the same ids.
  ///
  /// - Parameter date: the date of the machine's clock. It does not go back when the folder does.
  mutating func skipSequences(at date: StoreDate) {
    nextRevision = max(nextRevision, Self.changesBefore(date))
    guard !isSeeded else { return }
    let seconds = (date.millisecondsSince1970 - Self.firstOpening.millisecondsSince1970) / 1000
    let next = max(nextSequence + Int64.random(in: 1...Self.largestSkip), seconds)
    nextSequence = max(nextSequence, min(next, Self.restorableSequences.upperBound))
  }

  /// The new row of this store when the records of `snapshot` replace its own.
  ///
  /// Counters and dates continue from the larger of both rows, so that no identifier or date is used twice.
  func restored(from snapshot: StoreRow) -> StoreRow {
    var row = snapshot
    row.isSeeded = isSeeded
    row.notificationURL = notificationURL
    row.generation = max(generation, snapshot.generation)
    row.nextCustomerNumber = max(nextCustomerNumber, snapshot.nextCustomerNumber)
    row.nextSequence = max(nextSequence, snapshot.nextSequence)
    row.nextRevision = max(nextRevision, snapshot.nextRevision)
    row.lastDate = max(lastDate, snapshot.lastDate)
    row.lastSignedDate = max(lastSignedDate, snapshot.lastSignedDate)
    row.receiptFloor = max(receiptFloor, snapshot.receiptFloor)
    row.beginNextEpoch(notIn: epoch)
    return row
  }
}
