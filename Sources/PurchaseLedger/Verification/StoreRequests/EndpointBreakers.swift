import Foundation

/// A circuit breaker for each endpoint. Apps that ask the same endpoint share its breaker.
actor EndpointBreakers {
  private var breakers: [URL: CircuitBreaker] = [:]

  func admit(to url: URL, at now: Int64, timeoutMilliseconds: Int64) -> CircuitBreaker.Admission {
    breakers[url, default: CircuitBreaker()].admit(at: now, timeoutMilliseconds: timeoutMilliseconds)
  }

  func settle(
    _ pass: CircuitBreaker.Pass, _ report: CircuitBreaker.Report, at url: URL, now: Int64,
    _ thresholds: BreakerThresholds
  ) {
    breakers[url, default: CircuitBreaker()].settle(pass, report, at: now, thresholds)
  }
}
