import AppStoreEmulator
import Foundation
import HTTPDoors
import Hummingbird
import StoreModel

/// The request journal.
struct RequestRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: RouterGroup<BasicRequestContext>) {
    let store = store
    control.get("requests") { request, _ in
      let query = request.uri.queryParameters.reduce(into: [:]) { $0[String($1.key)] = String($1.value) }
      let (filter, limit) = (try Self.filter(query), try Self.number("limit", in: query, 1...10_000) ?? 1_000)
      return try await Response.answering {
        let extent = store.requestJournalExtent
        return RequestJournalView(
          requests: store.requests(filter, limit: Int(limit)).map(RequestView.init), kept: extent.kept,
          dropped: extent.dropped, last: extent.last)
      }
    }
    control.delete("requests") { _, _ in
      try await Response.answering { ["removed": store.clearRequests()] }
    }
  }

  private static let names: Set<String> = [
    "call", "installationId", "environment", "bundleId", "customer", "productId", "paymentId", "transactionId",
    "outcome", "faultId", "after", "limit",
  ]

  /// - Throws: ``DoorRefusal``; also for a name that is not known, because an assertion must not be about everything
  ///   when it is misspelt.
  private static func filter(_ query: [String: String]) throws(DoorRefusal) -> RequestFilter {
    if let unknown = query.keys.filter({ !names.contains($0) }).min() {
      throw malformed("\(unknown) cannot be asked for; there are \(names.sorted().joined(separator: ", ")).")
    }
    return RequestFilter(
      try word("call", in: query, RequestKind.allCases),
      installationID: query["installationId"].map(InstallationID.init),
      environment: try environment(in: query), bundleID: query["bundleId"].map(BundleID.init),
      customer: query["customer"].map(AccountName.init), productID: query["productId"].map(ProductID.init),
      paymentID: query["paymentId"].map(PaymentID.init), transactionID: try transaction(in: query),
      outcome: try word("outcome", in: query, RequestOutcome.Name.allCases),
      faultID: query["faultId"].map(FaultID.init), after: try number("after", in: query, 0...Int64.max - 1))
  }

  private static func environment(in query: [String: String]) throws(DoorRefusal) -> StoreEnvironment? {
    guard let text = query["environment"] else { return nil }
    return try StoreEnvironment(doorName: text)
  }

  private static func transaction(in query: [String: String]) throws(DoorRefusal) -> TransactionID? {
    guard let text = query["transactionId"] else { return nil }
    guard let id = TransactionID(rawValue: text) else {
      throw malformed("\(text) is no transaction id, which is a decimal number.")
    }
    return id
  }

  private static func word<Value: RawRepresentable<String>>(
    _ name: String, in query: [String: String], _ values: [Value]
  ) throws(DoorRefusal) -> Value? {
    guard let text = query[name] else { return nil }
    guard let value = values.first(where: { $0.rawValue == text }) else {
      throw malformed("\(name) is one of \(values.map(\.rawValue).joined(separator: ", ")); it is \(text).")
    }
    return value
  }

  private static func number(
    _ name: String, in query: [String: String], _ range: ClosedRange<Int64>
  ) throws(DoorRefusal) -> Int64? {
    guard let text = query[name] else { return nil }
    guard let number = Int64(text), range.contains(number) else {
      throw malformed("\(name) is a number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  private static func malformed(_ words: String) -> DoorRefusal { DoorRefusal(.badRequest, "malformedRequest", words) }
}
