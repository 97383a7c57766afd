/// A participant in a purchase, in the order of the lanes in the drawing.
enum FlowParticipant: Int, Hashable, Sendable, CaseIterable {
  case app, storeKit, store, server

  var title: String {
    switch self {
    case .app: "The app"
    case .storeKit: "StoreKit"
    case .store: "App Store"
    case .server: "Developer’s server"
    }
  }
}
