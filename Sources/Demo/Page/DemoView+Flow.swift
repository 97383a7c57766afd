import WebSupport

// The drawing of the purchase flow: a lane for each participant, and a row for each stage.
extension DemoView {
  var flow: HTML {
    let purchase = scene.device.flatMap { scene.flows[$0] } ?? PurchaseFlow()
    let about: HTML =
      if let device = scene.device, let product = purchase.product {
        "<strong>\(device.capitalized)</strong>: <code>\(HTML.shortName(Self.lastPart(of: product)))</code>"
      } else {
        "Buy a product on a device to see its steps here."
      }
    let remark: HTML? = purchase.remark.map { "<span class=\"badge badge-\($0.tone.rawValue)\">\($0.text)</span>" }
    let stops = FlowStop.allCases.map { stop(_: $0, in: purchase) }
    return """
      <div class="between"><h2 id="flow-title">What happens</h2><p class="small">\(about)</p></div>
      <ol class="lanes" aria-hidden="true">\(FlowParticipant.allCases.map { "<li>\($0.title)</li>" as HTML })</ol>
      <ol class="flow">\(stops)</ol>
      <p class="remark" role="status">\(remark)</p>
      """
  }

  /// Returns the last part of a product id, which serves as a short name.
  private static func lastPart(of product: String) -> String {
    product.split(separator: ".").last.map(String.init) ?? product
  }

  private func stop(_ stop: FlowStop, in purchase: PurchaseFlow) -> HTML {
    let (from, to) = (stop.way.from.rawValue, stop.way.to.rawValue)
    let way = from == to ? "here" : from < to ? "rightward" : "leftward"
    let isPassed = purchase.passed.contains(stop)
    let state = purchase.last == stop ? "last" : isPassed ? "passed" : stop.isOfServerGoods ? "aside" : "ahead"
    let parties = from == to ? stop.way.from.title : "\(stop.way.from.title) to \(stop.way.to.title)"
    return """
      <li class="stop lane-\(min(from, to)) span-\(abs(from - to) + 1) \(way)" data-state="\(state)" data-stop="\("\(stop)")">
      <span class="sr-only">\(parties): </span><span class="stop-title">\(stop.title)</span>\
      <span class="sr-only">\(isPassed ? ", done" : "")</span></li>
      """
  }
}
