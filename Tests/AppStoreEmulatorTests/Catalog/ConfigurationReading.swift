import Foundation
import StoreModel

@testable import AppStoreEmulator

/// Reads a configuration as `Shop.storekit`.
func readConfiguration(_ json: String) throws -> StoreKitConfiguration {
  try StoreKitConfiguration(data: Data(json.utf8), name: "Shop.storekit")
}

/// Returns the problems for which a configuration is refused; empty if it can be read.
func problems(of json: String) -> [StoreKitConfigurationError.Problem] {
  do {
    _ = try StoreKitConfiguration(data: Data(json.utf8), name: "Shop.storekit")
    return []
  } catch {
    return error.problems
  }
}

/// Returns the warnings of a configuration without the locations before them; nil if it is refused.
func warnings(of json: String) -> [String]? {
  (try? readConfiguration(json))?.warnings.map { warning in
    warning.firstRange(of: ": ").map { String(warning[$0.upperBound...]) } ?? warning
  }
}

/// Returns a file with one consumable. `members` replace its usual members or are added to them.
func fileWithConsumable(_ members: String = "") -> String {
  "{\"products\":[\(object(["productID": "\"lamp\"", "type": "\"Consumable\"", "displayPrice": "\"1\""], members))]}"
}

/// Returns a file with one subscription, of a group whose id is `G`.
func fileWithSubscription(_ members: String = "") -> String {
  let subscription = object(
    [
      "productID": "\"club\"", "type": "\"RecurringSubscription\"", "displayPrice": "\"3\"",
      "subscriptionGroupID": "\"G\"", "groupNumber": "1", "recurringSubscriptionPeriod": "\"P1M\"",
    ], members)
  return "{\"subscriptionGroups\":[{\"id\":\"G\",\"name\":\"Club\",\"subscriptions\":[\(subscription)]}]}"
}

/// Returns a JSON object with the `usual` members and `members`, which replace usual members of the same key.
private func object(_ usual: [String: String], _ members: String) -> String {
  let given = try? JSONSerialization.jsonObject(with: Data("{\(members)}".utf8)) as? [String: Any]
  let kept = usual.filter { given?[$0.key] == nil }.map { "\"\($0.key)\":\($0.value)" }.sorted()
  return "{\((kept + (members.isEmpty ? [] : [members])).joined(separator: ","))}"
}
