import WebSupport

// The guided tour: the station that is shown, the list of all stations, and the tour's end.
extension DemoView {
  var tour: HTML {
    let progress = scene.tour
    let all = progress.stations.indices.map { item($0, in: progress) }
    return """
      \(progress.current.map { station($0, in: progress) } ?? end)
      <details id="tour-all"><summary>All steps <span class="badge" data-tour-done="\(progress.doneCount)">\(progress.doneCount) of \(progress.stations.count) done</span></summary>
      <ol class="stations">\(all)</ol>
      </details>
      """
  }

  private func station(_ index: Int, in progress: TourProgress) -> HTML {
    let station = progress.stations[index]
    let isDone = progress.isDone(index)
    let isLast = index == progress.stations.count - 1
    let done: HTML = """
      <span class="badge badge-good" role="status">Done.<span class="tour-hint"> \(isLast ? "This was the last step." : "Press Next.")</span></span>
      """
    return """
      <div class="between tour-head">
      <h2 id="tour-title"><span class="muted"><span class="tour-wide">Step </span>\(index + 1)<span class="tour-wide"> of \(progress.stations.count)</span>:</span> \(station.title) <a class="below small" href="#tour">Instructions</a></h2>
      <div class="tour-turns">\(isDone ? done : .empty)\(play(index, of: station))\(turn("back", "Back", isDisabled: index == 0))\(turn("next", isLast ? "Result" : "Next", isPrimary: isDone))</div>
      </div>
      \(playMessage)
      \(body(of: station))
      """
  }

  /// The button that plays a station; empty if the station cannot be played.
  private func play(_ index: Int, of station: TourStation) -> HTML {
    guard station.play != nil else { return .empty }
    return """
      <form method="post" action="/play" data-quiet><input type="hidden" name="station" value="\(index)"><button id="play-station"\(" aria-disabled=\"true\"", if: scene.isPlaying)>\(scene.isPlaying ? "Playing…" : "Do this for me")</button></form>
      """
  }

  /// Why the last play stopped.
  private var playMessage: HTML {
    scene.playMessage.map { "<p class=\"notice\" id=\"play-message\" role=\"status\">\($0)</p>" } ?? .empty
  }

  private func body(of station: TourStation) -> HTML {
    """
    <ol>\(station.instructions.map { "<li>\($0)</li>" as HTML })</ol>
    <p class="muted">\(station.lesson)</p>
    """
  }

  /// The end of the tour, with a table of charges, refunds and grants. The table is made from the recorded charges,
  /// refunds and grants, not from the stations of the tour.
  private var end: HTML {
    let rows = scene.accounts.lines.map { product, line in
      """
      <tr data-product="\(ProductNames.lastPart(of: product))"><th scope="row">\(HTML.shortName(ProductNames.name(of: product)))</th><td class="number">\(line.charges)</td><td class="number">\(line.charges == 0 ? "–" : line.total)</td><td class="number">\(line.refunds)</td><td class="number">\(line.grants)</td><td class="number">\(line.freeGrants)</td></tr>
      """ as HTML
    }
    return """
      <div class="between tour-head"><h2 id="tour-title">The end of the tour</h2>
      <div class="tour-turns">\(turn("back", "Back"))\(turn("restart", "Restart"))</div></div>
      \(playMessage)
      <p>What the store has charged, and what the devices were granted for it:</p>
      <div class="table-wrap" tabindex="0" role="region" aria-label="Charges and grants"><table id="tour-accounts"><thead><tr><th scope="col">Product</th><th scope="col" class="number">Charges</th><th scope="col" class="number">Charged</th><th scope="col" class="number">Refunds</th><th scope="col" class="number">Grants</th><th scope="col" class="number">Free<span class="tour-hint"> grants</span></th></tr></thead>
      <tbody>\(rows)</tbody></table></div>
      <p class="muted">\(balance)</p>
      """
  }

  /// The text below the table: whether each charge was granted.
  private var balance: HTML {
    func names(where isMeant: (DemoAccounts.Line) -> Bool) -> String? {
      let found = scene.accounts.lines.filter { isMeant($0.line) }
      return found.isEmpty ? nil : found.map { ProductNames.name(of: $0.product) }.joined(separator: ", ")
    }
    if scene.accounts.lines.isEmpty { return "Nothing was bought." }
    guard let open = names(where: { $0.charges > $0.grants }) else { return "Each charge was granted." }
    return """
      Charged and not granted yet: \(HTML.shortName(open)). Such a transaction stays unfinished, and is delivered again until the app \
      grants it. All other charges were granted.
      """
  }

  // A disabled button has `aria-disabled`. With the attribute `disabled`, the button would lose the focus. The form of
  // such a button changes nothing on the server.
  private func turn(
    _ name: String, _ title: String, isPrimary: Bool = false, isDisabled: Bool = false
  ) -> HTML {
    """
    <form method="post" action="/tour" data-quiet><input type="hidden" name="turn" value="\(name)"><button id="tour-\(name)"\(" class=\"button-primary\"", if: isPrimary)\(" aria-disabled=\"true\"", if: isDisabled)>\(title)</button></form>
    """
  }

  private func item(_ index: Int, in progress: TourProgress) -> HTML {
    let station = progress.stations[index]
    let (isDone, isCurrent) = (progress.isDone(index), progress.current == index)
    return """
      <li data-state="\(isDone ? "done" : "open")"\(" aria-current=\"step\"", if: isCurrent)>
      <form method="post" action="/tour" data-quiet><input type="hidden" name="turn" value="to"><input type="hidden" name="station" value="\(index)">
      <button class="link" id="station-\(index)">\(station.title)</button>\
      <span class="badge\(" badge-good", if: isDone)">\(isDone ? "done" : "open")</span></form></li>
      """
  }
}
