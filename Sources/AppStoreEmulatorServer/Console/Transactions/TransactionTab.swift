/// A tab of a transaction's page. The page's address contains the tab's name.
enum TransactionTab: String, CaseIterable {
  case details, timeline, responses, signed

  var title: String {
    switch self {
    case .details: "Details"
    case .timeline: "Timeline"
    case .responses: "API responses"
    case .signed: "Signed payloads"
    }
  }
}
