import Foundation
import StoreModel

/// What came of one question, read as far as its asker needs to decide what to do next.
enum ReplyReading: Hashable, Sendable {
  /// The store vouches for the receipt.
  case statement(VerifiedAnswer)
  /// The receipt is to be taken to the other environment's door.
  case belongs(to: StoreEnvironment)
  /// The store failed.
  ///
  /// - Parameters:
  ///   - finally: how the verification ends, if asking again does not help; nil for "the store cannot say just now".
  ///   - retryAfterSeconds: for how long the store wants to be left alone, if it said so.
  case failed(finally: ProofRefusal? = nil, retryAfterSeconds: Int? = nil)
  case refused(ProofRefusal)
}

/// A reading, what the question told of the endpoint, and what its operator should hear.
struct ReadReply: Hashable, Sendable {
  let reading: ReplyReading
  let report: CircuitBreaker.Report
  /// Nil if nothing went wrong.
  let trouble: String?

  private init(_ reading: ReplyReading, _ report: CircuitBreaker.Report = .works, trouble: String? = nil) {
    self.reading = reading
    self.report = report
    self.trouble = trouble
  }

  /// No answer at all.
  init(_ failure: ReceiptServerFailure) {
    self.init(.failed(), .failed, trouble: failure.description)
  }

  /// - Parameters:
  ///   - reply: what the store answered.
  ///   - kind: what was sent.
  ///   - isGoodHere: whether its signature was found to be good here.
  ///   - app: whose receipt it must be.
  ///   - otherApp: the app that the receipt names, where that is not `app`.
  ///   - door: where it was sent.
  ///   - latest: the latest date that the answer may bear.
  init(
    _ reply: ReceiptServerReply, on kind: PurchaseProof.Kind, isGoodHere: Bool, of app: BundleID,
    otherApp: () -> BundleID?, at door: StoreEnvironment, before latest: StoreDate
  ) {
    let status = "it answers with HTTP \(reply.httpStatus)."
    switch reply.httpStatus {
    case 200:
      do throws(AnswerFault) {
        self.init(try VerifyReceiptAnswer(reply.body), kind, isGoodHere, app, otherApp, door, latest)
      } catch {
        // Not even an answer: something else than the store's receipt server is speaking.
        self.init(.failed(), .failed, trouble: "\(error)")
      }
    case 408, 429, 500...599:
      let wait = RetryAfter.seconds(reply.retryAfter, date: reply.date)
      self.init(.failed(retryAfterSeconds: wait), .failed, trouble: status)
    default:
      let refusal = ProofRefusal.misconfigured(detail: "the \(door.lowercaseName) URL says HTTP \(reply.httpStatus)")
      self.init(.refused(refusal), trouble: status)
    }
  }

  private init(
    _ answer: VerifyReceiptAnswer, _ kind: PurchaseProof.Kind, _ isGoodHere: Bool, _ app: BundleID,
    _ otherApp: () -> BundleID?, _ door: StoreEnvironment, _ latest: StoreDate
  ) {
    let status = "it answers with status \(answer.status)."
    switch StatusMeaning(
      answer.status, isRetryable: answer.isRetryable, on: kind, isGoodHere: isGoodHere, otherApp: otherApp, at: door)
    {
    case .valid:
      // Oldest answers do not name the environment; it is then the door's.
      if let environment = answer.environment, environment != door.rawValue {
        let detail = "the \(door.lowercaseName) URL answers for \(environment.prefix(80))"
        self.init(.refused(.misconfigured(detail: detail)), trouble: detail + ".")
        return
      }
      do throws(AnswerFault) {
        let statement = try answer.statement(on: kind, of: app, from: door)
        try statement.check(isBefore: latest)
        self.init(.statement(statement))
      } catch {
        switch error {
        case .wrongApp(let detail): self.init(.refused(.wrongApp(detail: detail)))
        // The store's fault, but perhaps with this receipt only: it does not count against the endpoint.
        case .unreadable, .dateAhead: self.init(.failed(), trouble: "\(error)")
        }
      }
    case .belongs(let environment): self.init(.belongs(to: environment))
    case .failed(let finally, let speaksOfTheStore):
      self.init(.failed(finally: finally), speaksOfTheStore ? .failed : .works, trouble: status)
    case .refused(let refusal): self.init(.refused(refusal), trouble: refusal.isTemporary ? status : nil)
    }
  }
}

/// Reads `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date. The App Store Server API writes UNIX milliseconds;
/// they are understood here, too.
///
/// A date is compared with the answer's own `Date`, both being the store's: this machine's clock may be hours off. What
/// is neither is as if it were not there.
enum RetryAfter {
  /// Longer than this nobody is made to wait, in seconds.
  static let longestSeconds = 3_600

  /// In seconds, 0 to ``longestSeconds``; nil if there is none.
  static func seconds(_ header: String?, date: String?) -> Int? {
    guard let header = header?.trimmingCharacters(in: .whitespaces), !header.isEmpty else { return nil }
    if header.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      let number = Int(header) ?? .max
      guard number >= smallestInstant else { return min(number, longestSeconds) }
      return seconds(until: Date(timeIntervalSince1970: Double(number) / 1_000), from: date)
    }
    return instant(header).flatMap { seconds(until: $0, from: date) }
  }

  /// As UNIX milliseconds a day of 2001; as seconds longer than anybody waits.
  private static let smallestInstant = 1_000_000_000_000

  private static func seconds(until end: Date, from date: String?) -> Int? {
    guard let start = date.flatMap(instant) else { return nil }
    return Int(min(max(end.timeIntervalSince(start).rounded(.up), 0), Double(longestSeconds)))
  }

  private static func instant(_ text: String) -> Date? {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = .gmt
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.date(from: text)
  }
}
