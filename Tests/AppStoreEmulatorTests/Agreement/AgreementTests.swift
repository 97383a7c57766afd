import Foundation
import StoreModel
import Testing

/// Random histories of three customers, two of them a family, in both environments. An independent model says which notifications
/// each action causes, and all APIs must show the same of each transaction.
///
/// `AGREEMENT_STEPS` is the number of steps of each history (`make prove`: 2,000), `AGREEMENT_SEED` the first seed. With
/// `AGREEMENT_PRINT`, the numbers are printed.
@Suite(
  "All APIs agree on random histories", .serialized, .timeLimit(.minutes(AgreementSettings.steps > 1_000 ? 240 : 30)))
struct AgreementTests {
  /// The number of steps from one comparison of all APIs to the next.
  private static let stepsPerComparison = 20

  @Test(
    "H1 StoreKit 1, receipts, verifyReceipt, Server API and notifications show the same; each notification is that of the table"
  )
  func randomHistories() async throws {
    var (seen, steps, notifications, compared) = (Set<String>(), 0, 0, 0)
    for seed in AgreementSettings.seeds {
      var history = try await ClubHistory(seed: seed)
      for number in 1...AgreementSettings.steps {
        var (action, problems) = try await history.step()
        if number % Self.stepsPerComparison == 0 || number == AgreementSettings.steps {
          problems += try await history.compareViews()
        }
        steps += 1
        guard problems.isEmpty else {
          Issue.record("seed \(seed), step \(number), \(action):\n\(problems.prefix(20).joined(separator: "\n"))")
          break
        }
      }
      notifications += history.matching.count
      compared += history.comparedCount
      seen.formUnion(history.matching.seen)
      try await history.close()
    }
    if AgreementSettings.prints {
      print("\(steps) steps, \(notifications) notifications, \(compared) transactions compared in all APIs")
    }
    if AgreementSettings.isLong {
      #expect(Self.rows.subtracting(seen).isEmpty, "rows of the table that no history has")
    }
  }

  /// The rows of the table that customers, the operator and the developer's server can cause.
  private static let rows: Set<String> = [
    "SUBSCRIBED/INITIAL_BUY", "SUBSCRIBED/RESUBSCRIBE", "DID_RENEW", "DID_RENEW/BILLING_RECOVERY", "ONE_TIME_CHARGE",
    "DID_CHANGE_RENEWAL_PREF/UPGRADE", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE", "DID_CHANGE_RENEWAL_PREF",
    "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", "OFFER_REDEEMED",
    "OFFER_REDEEMED/UPGRADE", "OFFER_REDEEMED/DOWNGRADE", "DID_FAIL_TO_RENEW", "DID_FAIL_TO_RENEW/GRACE_PERIOD",
    "GRACE_PERIOD_EXPIRED", "EXPIRED/VOLUNTARY", "EXPIRED/BILLING_RETRY", "EXPIRED/PRICE_INCREASE",
    "EXPIRED/PRODUCT_NOT_FOR_SALE", "PRICE_INCREASE/PENDING", "PRICE_INCREASE/ACCEPTED", "CONSUMPTION_REQUEST",
    "REFUND", "REFUND_DECLINED", "REFUND_REVERSED", "REVOKE", "RENEWAL_EXTENDED", "RENEWAL_EXTENSION/FAILURE",
    "RENEWAL_EXTENSION/SUMMARY",
  ]
}

private enum AgreementSettings {
  private static let environment = ProcessInfo.processInfo.environment
  static let isLong = environment["AGREEMENT_STEPS"] != nil
  static let steps = environment["AGREEMENT_STEPS"].flatMap { Int($0) } ?? 80
  static let prints = environment["AGREEMENT_PRINT"] != nil
  static let seeds: Range<UInt64> = {
    let first = environment["AGREEMENT_SEED"].flatMap { UInt64($0) } ?? 1
    return first..<first + (isLong ? 5 : 3)
  }()
}
