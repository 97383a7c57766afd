/// The answer of a statement that was perhaps not sent yet. Only the thread of its transaction may use it.
public final class PendingAnswer {
  /// The answer; nil until the statement was answered.
  public private(set) var known: SQLAnswer?
  private let send: () throws -> Void

  public init(_ answer: SQLAnswer) {
    known = answer
    send = {}
  }

  /// - Parameter send: sends the statement, and calls ``set(_:)``.
  public init(sending send: @escaping () throws -> Void) { self.send = send }

  public func set(_ answer: SQLAnswer) { known = answer }

  /// Returns the answer. If the statement was not sent yet, sends it and waits.
  public func get() throws -> SQLAnswer {
    if known == nil { try send() }
    guard let known else { throw LedgerDatabaseError.failed(reason: "a statement was not answered") }
    return known
  }

  /// The first row; nil if there are no rows.
  var row: SQLRow? { get throws { try get().rows.first } }
}
