import Foundation
import StoreModel

/// The credits that are lost if credits are given up.
///
/// Only a vault and a ``LedgerCreditStore`` make it. ``PurchaseVault/resetCredits(accepting:)``,
/// ``PurchaseVault/importBackup(_:under:receipts:accepting:)`` and ``LedgerCreditStore/resetCredits(accepting:)`` need
/// the current value, so that an app cannot give up credits without knowing how many. Show ``customerMessage(_:)`` to
/// the customer before.
public struct CreditLoss: Hashable, Codable, Sendable {
  /// The number of lost credits; nil if it is not known, because the vault's key was lost.
  public let credits: Int?
  /// The balance afterwards.
  public let balanceAfter: Int
  /// The newest purchases that the lost credits come from, newest first. Empty if they are not known. Their credits may
  /// be more than ``credits``, because some were spent, or fewer, because only the newest purchases are known.
  public let purchases: [CreditGrantEntry]
  /// Why the credits cannot be used; nil if they can.
  public let freeze: CreditFreeze?

  /// - Parameter known: the purchases that the lost credits may come from.
  init(credits: Int?, balanceAfter: Int, of known: [CreditGrantEntry], freeze: CreditFreeze?) {
    self.credits = credits
    self.balanceAfter = balanceAfter
    self.freeze = freeze
    var (purchases, missing) = ([CreditGrantEntry](), credits ?? .max)
    for purchase in known.sorted(by: CreditGrantEntry.isEarlier).reversed() where missing > 0 {
      purchases.append(purchase)
      missing -= min(missing, purchase.credits)
    }
    self.purchases = purchases
  }

  /// Whether nothing is lost.
  public var isNothing: Bool { credits == 0 }

  /// The number of the lost credits, and when they were bought, such as "60 pages bought on 2026-11-27".
  public func text(_ names: CustomerNames) -> String {
    guard let credits else { return "\(names.credits), whose number is not known," }
    let days = purchases.map { $0.date.formatted(.iso8601.year().month().day()) }
    let name = names.number(credits)
    guard let last = days.first, let first = days.last else { return name }
    return first == last ? "\(name) bought on \(last)" : "\(name) bought from \(first) to \(last)"
  }

  /// A sentence for the customer, such as "60 pages bought on 2026-11-27 cannot be brought back."
  public func customerMessage(_ names: CustomerNames) -> String {
    let text = text(names)
    return isNothing
      ? "No \(names.credits) are lost." : "\(text.prefix(1).uppercased())\(text.dropFirst()) cannot be brought back."
  }
}
