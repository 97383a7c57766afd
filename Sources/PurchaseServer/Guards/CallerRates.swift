import Hummingbird
import StoreModel

/// Limits the requests of each caller. If the token of a request was verified recently, the caller is its customer or
/// operator. Otherwise the caller is the address.
///
/// Requests are not counted per token, because one JWT can be written in several ways, and a customer can have many
/// tokens.
struct CallerRates: Sendable {
  let rates: RateLimiter
  let tokens: RecognisedTokens
  /// Verifies a token and, if it is valid, adds it to `tokens`.
  let recognise: @Sendable (_ token: String) async -> Void
  /// Limits how often tokens are verified for an address that has used up its rate. `allChecks` limits the same for all
  /// addresses together.
  private let checks: RateLimiter
  private let allChecks: RateLimiter

  /// - Parameter rates: the rate of each caller.
  init(
    _ rates: RateLimiter, tokens: RecognisedTokens, clock: any MachineClock,
    recognise: @escaping @Sendable (_ token: String) async -> Void
  ) {
    self.rates = rates
    checks = RateLimiter(.init(perSecond: 200, burst: 400), clock: clock)
    allChecks = RateLimiter(.init(perSecond: 1_000, burst: 2_000), clock: clock)
    self.tokens = tokens
    self.recognise = recognise
  }

  enum Admission: Hashable, Sendable {
    /// - Parameter caller: the key of the customer, operator or address for which the request counts.
    case admitted(caller: String)
    /// - Parameter seconds: the seconds to wait, at least 1.
    case refused(seconds: Int)
  }

  /// Admits or refuses a request.
  func admit(token: String?, from address: CallerAddress, cost: Double) async -> Admission {
    if let holder = token.flatMap(tokens.caller) { return admit(holder, cost) }
    let admission = admit("address \(address.key)", cost)
    // The rate of the address is used up, perhaps by other callers. A customer with a valid token is not refused for that.
    guard case .refused = admission, let holder = await holder(of: token, from: address) else { return admission }
    return admit(holder, cost)
  }

  private func admit(_ caller: String, _ cost: Double) -> Admission {
    rates.admit(caller, cost: cost).map(Admission.refused) ?? .admitted(caller: caller)
  }

  /// Returns the key of the customer or operator with this token. A token that is not recognised is verified. Nil if it is
  /// not valid, or if too many tokens were verified.
  func holder(of token: String?, from address: CallerAddress) async -> String? {
    guard let token else { return nil }
    if let holder = tokens.caller(of: token) { return holder }
    guard checks.admit(address.key) == nil, allChecks.admit("") == nil else { return nil }
    await recognise(token)
    return tokens.caller(of: token)
  }

  /// Admits a health probe, or returns the seconds to wait. Probes have a rate of their own, so that other requests do not block
  /// them.
  func admitProbe(from address: CallerAddress) -> Int? { rates.admit("probe \(address.key)") }
}
