import Foundation
import HTTPTransport
import StoreModel

/// The credit account of a scripted server. As in the ledger, movements never change: a repeated spend is answered
/// with its first movement and the balance after it.
final class CreditAccountDouble: Sendable {
  private struct Movement {
    let key: String
    let amount: Int
    let balance: Int
  }

  private let account = LockedValue(Account())

  /// Restores the server's ledger to its first `count` movements, as from a backup.
  func restore(movements count: Int, incarnation: String) {
    account.withLock { account in
      account.movements.removeLast(account.movements.count - count)
      account.incarnation = incarnation
    }
  }

  /// Begins an incarnation, as a server does whose version has incarnations.
  func begin(incarnation: String) { account.withLock { $0.incarnation = incarnation } }

  /// The amounts of all spends, in ascending order.
  var spent: [Int] { account.withLock { $0.movements.map(\.amount) }.filter { $0 < 0 }.map { -$0 }.sorted() }

  /// Returns the server's answer to a call about credits.
  func answer(_ call: HTTPCall) throws -> ScriptedServer.Answer { try account.withLock { try $0.answer(call) } }

  private struct Account {
    var incarnation: String?
    var movements = [Movement(key: "1", amount: 10, balance: 10)]

    private var balance: Int { movements.last?.balance ?? 0 }

    /// The incarnation as the last member of an answer's JSON.
    private var incarnationMember: String { incarnation.map { #", "incarnation": "\#($0)""# } ?? "" }

    mutating func answer(_ call: HTTPCall) throws -> ScriptedServer.Answer {
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
}
