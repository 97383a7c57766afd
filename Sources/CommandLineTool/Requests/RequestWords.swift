/// A request of the journal in words. What comes from strangers is made visible.
enum RequestWords {
  /// The call and how it ended, with the fault that struck it.
  static func what(_ request: ControlDoor.JournaledRequest) -> String {
    let fault = request.fault.map { ", struck by \(shown($0.id)) (\(shown($0.kind)))" } ?? ""
    return "\(shown(request.call)) \(end(request))\(fault)"
  }

  static func end(_ request: ControlDoor.JournaledRequest) -> String {
    switch request.outcome {
    case "underWay": "under way"
    case "answered": "answered"
    case "refused": "refused: \(shown(request.code ?? ""))"
    case "status": "answered with status \(request.status ?? 0)"
    case "serverError": "answered with HTTP \(request.httpStatus ?? 0)"
    case "noAnswer": "got no answer"
    case "failed": "failed"
    default: shown(request.outcome)
    }
  }

  static func from(_ request: ControlDoor.JournaledRequest) -> String { shown(request.installationId ?? "") }

  private static func shown(_ text: String) -> String { text.madeVisible(limit: 60) }
}
