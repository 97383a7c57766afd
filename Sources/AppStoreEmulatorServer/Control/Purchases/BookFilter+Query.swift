import AppStoreEmulator
import HTTPDoors
import Hummingbird
import StoreModel

extension EmulatedAppStore.BookFilter {
  /// The lines of the books that a request's query asks for.
  ///
  /// - Throws: ``DoorRefusal``.
  init(_ request: Request) throws {
    let query = request.uri.queryParameters
    let names = ["bundleId", "customer", "environment", "limit"]
    if let unknown = query.lazy.map({ String($0.key) }).first(where: { !names.contains($0) }) {
      throw DoorRefusal(
        .badRequest, "malformedRequest",
        "\(unknown) cannot be asked for; there are \(names.joined(separator: ", ")).")
    }
    let limit = try query["limit"].map { text in
      guard let limit = Int(text), (1...1_000).contains(limit) else {
        throw DoorRefusal(.badRequest, "malformedRequest", "limit is a number from 1 to 1000.")
      }
      return limit
    }
    self.init(
      bundleID: query["bundleId"].map { BundleID(String($0)) },
      environment: try query["environment"].map { try StoreEnvironment(doorName: String($0)) },
      account: query["customer"].map { AccountName(String($0)) }, limit: limit ?? 1_000)
  }
}
