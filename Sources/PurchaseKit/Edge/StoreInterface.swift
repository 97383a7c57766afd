/// The StoreKit that an app's purchases use.
public enum StoreInterface: String, Hashable, Codable, Sendable, CaseIterable {
  case storeKit1 = "1"
  case storeKit2 = "2"
}
