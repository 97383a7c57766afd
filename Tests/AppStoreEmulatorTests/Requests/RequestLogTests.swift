import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The journal's ring buffer", .timeLimit(.minutes(30)))
struct RequestLogTests {
  private func log(_ capacity: Int, _ number: Int) -> RequestLog {
    var log = RequestLog(capacity: capacity)
    for count in 0..<number { append(count, to: &log) }
    return log
  }

  private func append(_ count: Int, to log: inout RequestLog) {
    _ = log.append(
      RequestMetadata(.device(.finish), paymentID: PaymentID("\(count)")), RecordedBody("x", heldBytes: 1),
      date: StoreDate(millisecondsSince1970: Int64(count)))
  }

  private func sequences(_ log: RequestLog, _ filter: RequestFilter = RequestFilter(), limit: Int = .max) -> [Int64] {
    log.requests(filter, limit: limit).map(\.sequence)
  }

  @Test("keeps the newest, in order, and counts what it dropped", arguments: [0, 1, 2, 3, 4, 5, 6, 7, 9])
  func ring(number: Int) {
    let log = log(3, number)
    #expect(sequences(log) == Array((Int64(number) - 2...Int64(number)).drop { $0 < 1 }))
    #expect(
      log.requests(RequestFilter(), limit: .max).allSatisfy { $0.metadata.paymentID?.rawValue == "\($0.sequence - 1)" })
    #expect(log.dropped == max(0, number - 3))
    #expect(log.count == min(3, number))
    #expect(log.next == Int64(number) + 1)
  }

  @Test("after it was cleared it continues counting and is empty", arguments: 0...7)
  func cleared(number: Int) {
    var log = log(3, number)
    #expect(log.clear() == min(3, number))
    #expect(sequences(log) == [])
    #expect(log.dropped == 0)
    for count in 0..<5 { append(count, to: &log) }
    let last = Int64(number) + 5
    #expect(sequences(log) == [last - 2, last - 1, last])
    #expect(log.requests(RequestFilter(), limit: .max).map(\.metadata.paymentID) == ["2", "3", "4"])
    #expect(log.dropped == 2)
  }

  @Test("what a request became is written to it, unless it is gone")
  func change() {
    var log = log(2, 3)
    log.change(1) { $0.outcome = .failed }
    log.change(3) { $0.outcome = .answered }
    log.change(4) { $0.outcome = .failed }
    #expect(log.requests(RequestFilter(), limit: .max).map(\.outcome) == [.underWay, .answered])
  }

  @Test("a limit keeps the newest of those asked for; `after` leaves out what is known already")
  func parts() {
    let log = log(10, 6)
    #expect(sequences(log, limit: 2) == [5, 6])
    #expect(sequences(log, limit: 0) == [])
    #expect(sequences(log, RequestFilter(after: 4)) == [5, 6])
    #expect(sequences(log, RequestFilter(after: .max)) == [])
    #expect(sequences(log, RequestFilter(paymentID: "2")) == [3])
  }
}
