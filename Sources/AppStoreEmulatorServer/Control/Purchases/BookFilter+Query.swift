import AppStoreEmulator
import HTTPDoors
import Hummingbird
import StoreModel

extension EmulatedAppStore.BookFilter {
  /// The lines of the books that a request's query asks for.
  ///
  /// - Parameter other: names in the query that ask for something else.
  /// - Throws: ``DoorRefusal``; also for a name that is not known, because a list must not be of everything when it is
  ///   misspelt.
  init(_ request: Request, besides other: [String] = []) throws {
    let query = request.uri.queryParameters
    let names =
      ["before", "bundleId", "customer", "environment", "limit", "productId", "search", "state"] + other
    if let unknown = query.lazy.map({ String($0.key) }).first(where: { !names.contains($0) }) {
      throw DoorRefusal(
        .badRequest, "malformedRequest",
        "\(unknown) cannot be asked for; there are \(names.sorted().joined(separator: ", ")).")
    }
    self.init(
      bundleID: query["bundleId"].map { BundleID(String($0)) },
      environment: try query["environment"].map { try StoreEnvironment(doorName: String($0)) },
      account: query["customer"].map { AccountName(String($0)) },
      productID: query["productId"].map { ProductID(String($0)) },
      state: try query["state"].map { try TransactionState(doorName: String($0)) },
      search: query["search"].map(String.init),
      before: try query["before"].map { try Self.number($0, named: "before", in: 0...Int64.max) },
      limit: Int(try query["limit"].map { try Self.number($0, named: "limit", in: 1...1_000) } ?? 1_000))
  }

  private static func number(
    _ text: Substring, named name: String, in range: ClosedRange<Int64>
  ) throws(DoorRefusal) -> Int64 {
    guard let number = Int64(text), range.contains(number) else {
      throw DoorRefusal(
        .badRequest, "malformedRequest", "\(name) is a number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }
}

extension TransactionState {
  /// - Throws: ``DoorRefusal``.
  fileprivate init(doorName text: String) throws(DoorRefusal) {
    guard let state = TransactionState(rawValue: text) else {
      let names = TransactionState.allCases.map(\.rawValue).joined(separator: ", ")
      throw DoorRefusal(.badRequest, "malformedRequest", "state is one of \(names); it is \(text).")
    }
    self = state
  }
}
