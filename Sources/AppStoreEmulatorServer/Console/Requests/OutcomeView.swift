import AppStoreEmulator
import WebSupport

/// How a request ended, and the fault that applied to it.
struct OutcomeView {
  let request: JournaledRequest

  var html: HTML {
    let fault: HTML =
      request.fault.map {
        "<span class=\"sub\">fault \(HTML.shortName($0.id.rawValue, limit: 40)) (\($0.kind))</span>"
      } ?? ""
    return "<span class=\"badge \(style)\">\(OutcomeText.text(request.outcome))</span>\(fault)"
  }

  private var style: String {
    switch request.outcome {
    case .answered: "badge-good"
    case .status(let status): status == 0 ? "badge-good" : "badge-wait"
    case .underWay: "badge-wait"
    case .refused, .serverError, .noAnswer, .failed: "badge-bad"
    }
  }
}
