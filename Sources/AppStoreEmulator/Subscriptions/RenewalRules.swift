import StoreModel

/// The rules for an app's renewals: how fast subscriptions renew, and the billing grace period.
public struct RenewalRules: Hashable, Codable, Sendable {
  public var rate = RenewalRate.realTime
  public var gracePeriod = GracePeriod.off
  /// Whether no renewal can be charged, whatever the customers' payment methods are. Purchases are charged.
  public var renewalsFail = false

  public init(rate: RenewalRate = .realTime, gracePeriod: GracePeriod = .off, renewalsFail: Bool = false) {
    (self.rate, self.gracePeriod, self.renewalsFail) = (rate, gracePeriod, renewalsFail)
  }

  /// Reads rules of earlier versions, too, which have no ``renewalsFail``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    rate = try container.decode(RenewalRate.self, forKey: .rate)
    gracePeriod = try container.decode(GracePeriod.self, forKey: .gracePeriod)
    renewalsFail = try container.decodeIfPresent(Bool.self, forKey: .renewalsFail) ?? false
  }

  /// The time for which a customer keeps access while a renewal cannot be charged.
  public enum GracePeriod: Hashable, Codable, Sendable {
    case off
    /// 6 days for weekly subscriptions and 16 days for others, shortened by ``RenewalRules/rate`` like the periods.
    case standard
    /// A number of seconds of the store's clock, in ``RenewalRules/graceSeconds``. The rate does not change it.
    case seconds(Int64)
  }

  /// The allowed lengths of ``GracePeriod/seconds(_:)``: up to 365 days.
  public static let graceSeconds: ClosedRange<Int64> = 1...31_536_000

  /// Returns the end of the grace period after a period of `length` that ended at `end`; nil for no grace period.
  func graceEnd(after length: CalendarPeriod, endingAt end: StoreDate) -> StoreDate? {
    switch gracePeriod {
    case .off: nil
    case .standard: end.adding(seconds: rate.standardGraceSeconds(after: length))
    case .seconds(let seconds): end.adding(seconds: seconds)
    }
  }
}
