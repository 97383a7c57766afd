import DurableSQLite
import GRDB

extension Error {
  /// Whether the disk of the store's database is full, or cannot be read or written. Nothing was changed, and the same call can
  /// succeed later.
  package var isStoreDiskFailure: Bool { (self as? DatabaseError)?.isOfStorage ?? false }
}
