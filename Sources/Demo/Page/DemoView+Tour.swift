import WebSupport

// The guided tour: the current station, and the list of all stations.
extension DemoView {
  var tour: HTML {
    let progress = scene.tour
    let heading: HTML =
      """
      <div class="between"><h2 id="tour-title">Guided tour</h2>
      <span class="badge" data-tour-done="\(progress.doneCount)">\(progress.doneCount) of \(progress.stations.count) done</span></div>
      """
    let next: HTML =
      if let current = progress.current {
        station(progress.stations[current])
      } else {
        "<p class=\"notice notice-good\">You have completed the tour: nothing was lost, granted twice or charged twice.</p>"
      }
    let all = progress.stations.indices.map { item($0, in: progress) }
    return """
      \(heading)
      \(next)
      <details id="tour-all"><summary>All stations</summary><ol class="stations">\(all)</ol></details>
      <details id="tour-omissions" class="small"><summary>Not on the tour</summary>\(omissions)</details>
      """
  }

  private var omissions: HTML {
    "\(TourOmission.all.map { "<p class=\"muted\"><strong>\($0.requirement)</strong> \($0.reason)</p>" as HTML })"
  }

  private func station(_ station: TourStation) -> HTML {
    """
    <h3>\(station.title) <span class="muted small">\(station.requirements.joined(separator: " "))</span></h3>
    <ol>\(station.instructions.map { "<li>\($0)</li>" as HTML })</ol>
    <p class="muted">\(station.lesson)</p>
    """
  }

  private func item(_ index: Int, in progress: TourProgress) -> HTML {
    let station = progress.stations[index]
    let (isDone, isCurrent) = (progress.isDone(index), progress.current == index)
    return """
      <li data-state="\(isDone ? "done" : "open")"\(" aria-current=\"step\"", if: isCurrent)>
      <details id="station-\(index)"><summary>\(station.title)\
      <span class="badge\(" badge-good", if: isDone)">\(isDone ? "done" : "open")</span></summary>
      <ol>\(station.instructions.map { "<li>\($0)</li>" as HTML })</ol>
      <p class="muted">\(station.lesson) <span class="small">\(station.requirements.joined(separator: " "))</span></p></details></li>
      """
  }
}
