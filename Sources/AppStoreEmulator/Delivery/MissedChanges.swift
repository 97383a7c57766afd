import GRDB
import StoreModel

extension StoreUnitOfWork {
  var missedChanges: MissedChanges { MissedChanges(work: self) }
}

/// Detects that a device has received changes that this store does not contain, and makes the device request its whole
/// state again.
///
/// That happens after an older copy of the store's folder was put back: see Documentation/storage.md.
struct MissedChanges {
  let work: StoreUnitOfWork

  /// Whether `cursor` was given to the installation in this epoch: at its registration, or with a change.
  func isKnown(_ cursor: ChangeCursor, to installation: InstallationID) throws -> Bool {
    if try StoreRow.fetch(work.database).firstChange == cursor { return true }
    return try DeviceChangeRow.contains(cursor, of: installation, in: work.database)
  }

  /// Notifies an installation of everything that may have changed.
  ///
  /// - Parameter cursor: a cursor that the installation did not get from this store. All changes after it are later than
  ///   the copy of the folder.
  /// - Returns: the answer to the device. Its cursor is known.
  func startOver(_ installation: Installation, after cursor: ChangeCursor) throws -> DeviceChanges {
    let last = try DeviceChangeRow.lastCursor(work.database)
    try work.events.record(.changesMissed(installation))
    try work.revocations.recordLostProducts(of: installation)
    return try DeviceChangeRow.fetch(
      after: min(cursor, last), of: installation.installationID, in: work.database)
  }
}
