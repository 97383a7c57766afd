import Foundation
import HTTPTransport

/// The credit account of a scripted server. As in the ledger, movements never change: a repeated spend is answered
/// with its first movement and the balance after it.
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

  /// Restores the server's ledger to its first `count` movements, as from a backup.
  func restore(movements count: Int, incarnation: String) {
    lock.withLock {
      movements.removeLast(movements.count - count)
      self.incarnation = incarnation
    }
  }

  /// Begins an incarnation, as a server does whose version has incarnations.
  func begin(incarnation: String) { lock.withLock { self.incarnation = incarnation } }

  /// The incarnation as the last member of an answer's JSON.
  private var incarnationMember: String { incarnation.map { #", "incarnation": "\#($0)""# } ?? "" }

  /// The amounts of all spends, in ascending order.
  var spent: [Int] { lock.withLock { movements.filter { $0.amount < 0 }.map { -$0.amount }.sorted() } }

  /// Returns the server's answer to a call about credits.
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
      let message = try JSONSerialization.jsonObject(with: call.body ?? Data()) as! [String: Any]
      let (key, amount) = (message["key"] as! String, message["amount"] as! Int)
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
