import Foundation
import StoreModel

@testable import AppStoreEmulator

/// Reads a configuration as `Shop.storekit`.
func readConfiguration(_ json: String) throws -> StoreKitConfiguration {
  try StoreKitConfiguration(data: Data(json.utf8), name: "Shop.storekit")
}

/// The problems of a configuration that is refused; empty if it is read.
func problems(of json: String) -> [StoreKitConfigurationError.Problem] {
  do {
    _ = try StoreKitConfiguration(data: Data(json.utf8), name: "Shop.storekit")
    return []
  } catch {
    return error.problems
  }
}

/// A file with one consumable, in which `members` replace or join the usual ones.
func fileWithConsumable(_ members: String = "") -> String {
  "{\"products\":[\(object(["productID": "\"lamp\"", "type": "\"Consumable\"", "displayPrice": "\"1\""], members))]}"
}

/// A file with one subscription of a group whose id is `G`.
func fileWithSubscription(_ members: String = "") -> String {
  let subscription = object(
    [
      "productID": "\"club\"", "type": "\"RecurringSubscription\"", "displayPrice": "\"3\"",
      "subscriptionGroupID": "\"G\"", "groupNumber": "1", "recurringSubscriptionPeriod": "\"P1M\"",
    ], members)
  return "{\"subscriptionGroups\":[{\"id\":\"G\",\"name\":\"Club\",\"subscriptions\":[\(subscription)]}]}"
}

/// An object of `usual` members and those written in `members`, which replace usual ones of the same key.
private func object(_ usual: [String: String], _ members: String) -> String {
  let given = try? JSONSerialization.jsonObject(with: Data("{\(members)}".utf8)) as? [String: Any]
  let kept = usual.filter { given?[$0.key] == nil }.map { "\"\($0.key)\":\($0.value)" }.sorted()
  return "{\((kept + (members.isEmpty ? [] : [members])).joined(separator: ","))}"
}
