import Foundation
import HTTPTransport

/// The settings that all requests to a store have: URLs, timeouts, retries.
protocol StoreRequestPolicy {
  /// Apple's URLs, of production and of the sandbox.
  static var appleURLs: (production: URL, sandbox: URL) { get }

  var productionURL: URL { get }
  var sandboxURL: URL { get }
  var retries: Int { get }
  var firstPauseMilliseconds: Int64 { get }
  var longestPauseMilliseconds: Int64 { get }
  var answerTimeoutSeconds: Int { get }
  var totalTimeoutSeconds: Int { get }
  var retryAfterSeconds: Int { get }
  var reuseSeconds: Int { get }
  var secondsAhead: Int64 { get }
  var breaker: BreakerThresholds { get }
}

extension StoreRequestPolicy {
  /// Describes in a sentence why the policy is not valid; nil if it is valid.
  ///
  /// - Parameter trustingApple: whether the ledger trusts Apple's roots. Then only Apple's URLs are valid, because another
  ///   server's answers would add invented purchases to real ones, or would get the app's secrets.
  func problem(trustingApple: Bool) -> String? {
    for (name, url, own) in [
      ("production", productionURL, Self.appleURLs.production), ("sandbox", sandboxURL, Self.appleURLs.sandbox),
    ] {
      guard url.scheme == "https" || url.scheme == "http", url.host()?.isEmpty == false else {
        return "The \(name) URL must begin with https:// or http:// and name a host."
      }
      if trustingApple, url != own {
        return "With Apple's certificates trusted, the \(name) URL is \(own.absoluteString) and no other. To ask an "
          + "emulator, trust the emulator's certificates instead."
      }
    }
    if productionURL == sandboxURL { return "The production and the sandbox URL are the same." }
    let bounds: [(String, Int64, ClosedRange<Int64>)] = [
      ("retries", Int64(retries), 0...10),
      ("firstPauseMilliseconds", firstPauseMilliseconds, 1...60_000),
      ("longestPauseMilliseconds", longestPauseMilliseconds, 1...60_000),
      ("answerTimeoutSeconds", Int64(answerTimeoutSeconds), 1...60),
      ("totalTimeoutSeconds", Int64(totalTimeoutSeconds), 1...120),
      ("retryAfterSeconds", Int64(retryAfterSeconds), 1...3_600),
      ("reuseSeconds", Int64(reuseSeconds), 0...60),
      ("secondsAhead", secondsAhead, 0...VerifyReceiptPolicy.longestSecondsAhead),
      ("breaker.failures", Int64(breaker.failures), 1...1_000),
      ("breaker.openSeconds", Int64(breaker.openSeconds), 1...3_600),
    ]
    for (name, value, range) in bounds where !range.contains(value) {
      return "\(name) is a number from \(range.lowerBound) to \(range.upperBound); it is \(value)."
    }
    if longestPauseMilliseconds < firstPauseMilliseconds {
      return "longestPauseMilliseconds is less than firstPauseMilliseconds."
    }
    if totalTimeoutSeconds < answerTimeoutSeconds { return "totalTimeoutSeconds is less than answerTimeoutSeconds." }
    return nil
  }
}
