import Foundation
import HTTPTransport

/// A server's credit account behind a scripted server. As the ledger's, its movements are never changed: a spend that is
/// asked for again is answered with its movement, and the balance of then.
final class CreditAccountDouble: @unchecked Sendable {
  private struct Movement {
    let key: String
    let amount: Int
    let balance: Int
  }

  private let lock = NSLock()
  private var incarnation: String?
  private var movements = [Movement(key: "1", amount: 10, balance: 10)]

  private var balance: Int { movements.last?.balance ?? 0 }

  /// The server's ledger is restored from a backup of when it had so many movements.
  func restore(movements count: Int, incarnation: String) {
    lock.withLock {
      movements.removeLast(movements.count - count)
      self.incarnation = incarnation
    }
  }

  /// The server is of a version whose ledger has incarnations.
  func begin(incarnation: String) { lock.withLock { self.incarnation = incarnation } }

  /// As the last member of an answer.
  private var incarnationMember: String { incarnation.map { #", "incarnation": "\#($0)""# } ?? "" }

  /// What was spent, the least first.
  var spent: [Int] { lock.withLock { movements.filter { $0.amount < 0 }.map { -$0.amount }.sorted() } }

  /// The server's answer to a question about credits.
  func answer(_ call: HTTPCall) throws -> ScriptedServer.Answer {
    try lock.withLock {
      if call.method == "GET" {
        return .init(
          body: Data(
            """
            {"credits": [{"unit": "coins", "balance": \(balance), "movements": \(movements.count),
              "isSpendingBlocked": false}]\(incarnationMember)}
            """.utf8))
      }
      let order = try JSONSerialization.jsonObject(with: call.body ?? Data()) as! [String: Any]
      let (key, amount) = (order["key"] as! String, order["amount"] as! Int)
      if let index = movements.firstIndex(where: { $0.key == key }) { return answer(index) }
      guard amount <= balance else {
        return .init(status: 409, body: Data(#"{"error": {"code": "insufficientCredits", "message": "No."}}"#.utf8))
      }
      movements.append(Movement(key: key, amount: -amount, balance: balance - amount))
      return answer(movements.count - 1)
    }
  }

  private func answer(_ index: Int) -> ScriptedServer.Answer {
    let movement = movements[index]
    return .init(
      body: Data(
        """
        {"sequence": \(index + 1), "amount": \(movement.amount), "balance": \(movement.balance), "cause": "spend",
         "key": "\(movement.key)", "counterAccount": "spending", "date": 1800000000000\(incarnationMember)}
        """.utf8))
  }
}
