/// The answer of a statement that was perhaps not sent yet. Only the thread of its transaction may use it.
public final class PendingAnswer {
  private var answer: SQLAnswer?
  private let send: () throws -> Void

  public init(_ answer: SQLAnswer) {
    self.answer = answer
    send = {}
  }

  /// - Parameter send: sends the statement, and calls ``set(_:)``.
  public init(sending send: @escaping () throws -> Void) { self.send = send }

  public func set(_ answer: SQLAnswer) { self.answer = answer }

  /// Returns the answer. If the statement was not sent yet, sends it and waits.
  public func get() throws -> SQLAnswer {
    if answer == nil { try send() }
    guard let answer else { throw LedgerDatabaseError.failed(reason: "a statement was not answered") }
    return answer
  }

  /// The first row; nil if there are no rows.
  var row: SQLRow? { get throws { try get().rows.first } }
}
