/// Who takes part in a purchase, in the order in which the drawing shows them.
enum FlowParticipant: Int, Hashable, Sendable, CaseIterable {
  case app, storeKit, store, server

  var title: String {
    switch self {
    case .app: "The app"
    case .storeKit: "StoreKit on the phone"
    case .store: "App Store"
    case .server: "Your server"
    }
  }
}
