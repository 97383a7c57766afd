import SampleApp
import WebSupport

// The drawing of the purchase flow: a lane for each participant, and a row for each stage.
extension DemoView {
  var flow: HTML {
    let purchase = scene.device.flatMap { scene.flows[$0] } ?? PurchaseFlow()
    let about: HTML =
      if let device = scene.device, let product = purchase.product {
        "<strong>\(device.capitalized)</strong>: <span data-product=\"\(ProductNames.lastPart(of: product))\">\(HTML.shortName(ProductNames.name(of: product)))</span>"
      } else {
        ""
      }
    let remark: HTML =
      purchase.remark.map { "<span class=\"badge badge-\($0.tone.rawValue)\">\($0.text)</span>" }
      ?? "\("<span class=\"muted\">Waiting for Buy…</span>", if: purchase.passed.isEmpty)"
    let hasAside = purchase.stops.contains { $0.isOfServerGoods && !purchase.passed.contains($0) }
    let legend: HTML =
      "\("<p class=\"small muted legend\">Italic steps: only for products that come from the developer’s server, such as books.</p>", if: hasAside)"
    return """
      <div class="between"><h2 id="flow-title">What happens</h2><p class="small about">\(about)</p></div>
      <div class="between"><p class="remark" role="status">\(remark)</p>\(legend)</div>
      \(prompts)
      <ol class="lanes" aria-hidden="true">\(FlowParticipant.allCases.map { "<li>\($0.title)</li>" as HTML })</ol>
      <ol class="flow" data-way="\(purchase.isWaiting ? "waiting" : "\(purchase.way)")">\(purchase.stops.map { stop($0, in: purchase) })</ol>
      """
  }

  /// A line for each device that shows a prompt. The stylesheet hides the line of the shown device.
  private var prompts: [HTML] {
    frames.devices.compactMap { name, _ in
      scene.prompts[name].map { prompt in
        """
        <p class="remark prompt prompt-\(name)" role="status"><span class="badge badge-wait"><strong>\(name.capitalized)</strong>: \(prompt.kind.text) is open. \(.name(prompt.text))</span></p>
        """
      }
    }
  }

  private func stop(_ stop: FlowStop, in purchase: PurchaseFlow) -> HTML {
    let (from, to) = (stop.sides.from.rawValue, stop.sides.to.rawValue)
    let direction = from == to ? "here" : from < to ? "rightward" : "leftward"
    let isPassed = purchase.passed.contains(stop)
    let isLast = purchase.last == stop
    let isPending = purchase.isWaiting || purchase.way == .deferred
    let lastState = purchase.hasFailed || stop == .signInRefused ? "failed" : isPending ? "waiting" : "last"
    let state = isLast ? lastState : isPassed ? "passed" : stop.isOfServerGoods ? "aside" : "ahead"
    let lastSpoken = purchase.hasFailed ? ", ended here" : isPending ? ", waiting" : ", done"
    let spoken = isLast ? lastSpoken : isPassed ? ", done" : ""
    let parties = from == to ? stop.sides.from.title : "\(stop.sides.from.title) to \(stop.sides.to.title)"
    return """
      <li class="stop lane-\(min(from, to)) span-\(abs(from - to) + 1) \(direction)" data-state="\(state)" data-stop="\("\(stop)")">
      <span class="sr-only">\(parties): </span><span class="stop-title">\(stop.title(on: purchase.way))</span>\
      <span class="sr-only">\(spoken)</span></li>
      """
  }
}

extension AppPrompt.Kind {
  /// The kind with its article, for the beginning of a sentence or after a comma.
  var text: String {
    switch self {
    case .sheet: "a sheet"
    case .question: "a question"
    case .alert: "an alert"
    }
  }
}
