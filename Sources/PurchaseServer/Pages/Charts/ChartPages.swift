import APIDescription
import Hummingbird
import PurchaseLedger
import StoreModel
import WebSupport

/// The page of the charts, one at a time, each with its definition and a table.
enum ChartPages {
  static let all: [(path: String, make: OperatorPages.PageMaker)] = [(OperatorAddress.charts, chart)]

  private static let chart: OperatorPages.PageMaker = { page in
    let name = try page.query.word("chart", ChartName.allCases) ?? .activeSubscriptions
    let environment = try page.query.word("environment", shownEnvironments)
    let query = ChartPageQuery(
      app: page.app, environment: environment, from: page.query["from"], until: page.query["until"],
      currency: page.query["currency"]?.uppercased())
    let view = try await page.answer(
      of: ServiceEndpoints.chart, name.rawValue,
      query: [
        ("app", query.app), ("environment", query.environment?.rawValue), ("from", query.from), ("until", query.until),
        ("currency", query.currency),
      ])
    return page.page("Charts", ChartPage(view: view, query: query, appFilter: page.appFilter()).html)
  }

  /// The environments of a server. Xcode's purchases come from no server.
  static let shownEnvironments: [StoreEnvironment] = [.production, .sandbox]
}

/// The query of the page's address.
struct ChartPageQuery {
  let app: String
  let environment: StoreEnvironment?
  let from: String?
  let until: String?
  let currency: String?

  /// The address of a chart with this range, and with what it can be asked for.
  func address(of chart: ChartName) -> String {
    OperatorAddress.charts(
      of: app, chart: chart.rawValue, environment: chart.hasEnvironment ? environment?.rawValue : nil, from: from,
      until: until, currency: chart.hasMoney ? currency : nil)
  }
}

/// The page of a chart.
struct ChartPage {
  let view: ChartView
  let query: ChartPageQuery
  let appFilter: HTML

  var html: HTML {
    """
    <h1>Charts</h1>\(tabs)
    <section class="card" id="definition" aria-labelledby="definition-title"><h2 id="definition-title">\(view.name.title)</h2>
    <p>\(view.definition)</p>\(columnDefinitions)</section>
    \(filter)
    \(series)
    """
  }

  private var tabs: HTML {
    let links = ChartName.allCases.map { name -> HTML in
      """
      <li><a href="\(query.address(of: name))"\(" aria-current=\"page\"", if: name == view.name)>\(name.title)</a></li>
      """
    }
    return "<nav class=\"tabs\" aria-label=\"Charts\"><ul>\(links)</ul></nav>"
  }

  private var columnDefinitions: HTML {
    var list = DetailList()
    for column in view.columns { list.add(column.title, text: column.definition) }
    if let share { list.add(share.title, text: share.definition) }
    return list.html
  }

  // MARK: The range

  private var filter: HTML {
    var fields: [HTML] = [
      "<input type=\"hidden\" name=\"chart\" value=\"\(view.name.rawValue)\">", appFilter,
      FilterForm.line("from", "From (year-month)", view.from.rawValue),
      FilterForm.line("until", "Until", view.until.rawValue),
    ]
    if let environment = view.environment {
      fields.append(
        FilterForm.choices(
          "environment", "Environment", ChartPages.shownEnvironments.map { ($0.rawValue, $0.rawValue) },
          chosen: environment.rawValue, any: nil))
    }
    if view.name.hasMoney { fields.append(FilterForm.line("currency", "Currency", query.currency)) }
    let all = OperatorAddress.charts(of: query.app, chart: view.name.rawValue)
    return FilterForm(OperatorAddress.charts, fields, title: "Show", all: all).html
  }

  // MARK: Series

  private var series: HTML {
    let shown = view.series.enumerated().filter { !isEmptyRest($0.element) }
    guard !shown.isEmpty else { return "<p class=\"card\">\(nothing)</p>" }
    return HTML(shown.map { section($0.element, $0.offset) })
  }

  private var nothing: HTML {
    view.name == .creditsOutstanding ? "No customer ever had credits." : "There is nothing in these months."
  }

  /// Whether a series of a chart of money only says that every price is known.
  private func isEmptyRest(_ series: ChartSeries) -> Bool {
    view.name.hasMoney && series.currency == nil
      && series.months.allSatisfy { row in row.values.values.allSatisfy { $0 == 0 } }
  }

  private func section(_ series: ChartSeries, _ place: Int) -> HTML {
    let id = "series-\(place)"
    let heading = title(of: series)
    let shown = columns(of: series)
    let values = table(series, shown, heading)
    let bars: HTML = "<div class=\"card\">\(drawing(series, shown, id: id, heading))</div>"
    // A table with many columns needs the whole width.
    let isWide = shown.count + (share == nil ? 0 : 1) > 4
    let content: HTML = isWide ? "\(bars)\(values)" : "<div class=\"two\">\(bars)\(values)</div>"
    return """
      <section id="\(id)" aria-labelledby="\(id)-name"><h2 id="\(id)-name">\(heading)</h2>\(content)</section>
      """
  }

  private func title(of series: ChartSeries) -> String {
    if let currency = series.currency { return "\(view.name.title), \(currency)" }
    if let unit = series.unit { return "\(view.name.title), \(unit)" }
    return view.name.hasMoney ? "\(view.name.title), price unknown" : "\(view.name.title) by month"
  }

  /// The columns that a series has.
  private func columns(of series: ChartSeries) -> [ChartColumnView] {
    view.columns.filter { series.months.first?[$0.name] != nil }
  }

  private func table(_ series: ChartSeries, _ columns: [ChartColumnView], _ title: String) -> HTML {
    var heads: [DataTable.Column] = ["Month"]
    heads += columns.map { DataTable.Column($0.title, isNumber: true) }
    if let share { heads.append(DataTable.Column(share.title, isNumber: true)) }
    let rows = series.months.map { row -> [HTML] in
      var cells: [HTML] = ["\(row.month.rawValue)"]
      cells += columns.map { column in "\(Self.text(row[column.name] ?? 0, column.kind, series))" as HTML }
      if let share { cells.append("\(share.text(row))") }
      return cells
    }
    return DataTable(caption: title, columns: heads, rows: rows).html
  }

  private func drawing(_ series: ChartSeries, _ columns: [ChartColumnView], id: String, _ title: String) -> HTML {
    let drawn = columns.filter { view.name.drawnColumns.contains($0.name) }
    let kind = drawn.first?.kind ?? .count
    return ChartDrawing(
      id: id, title: title, months: series.months.map(\.month.rawValue),
      parts: drawn.map { column in
        ChartDrawing.Part(title: column.title, values: series.months.map { $0[column.name] ?? 0 })
      }, text: { Self.text($0, kind, series) }
    ).html
  }

  private static func text(_ value: Int64, _ kind: ChartValueKind, _ series: ChartSeries) -> String {
    if kind == .money, let currency = series.currency { return Money.text(Milliunits(value), currency) }
    return "\(value)".replacing("-", with: "−")
  }

  // MARK: Shares

  /// A column of percentages that the page adds.
  private var share: ChartShare? {
    switch view.name {
    case .trialsToPaid:
      ChartShare(
        title: "Share converted", definition: "Converted ÷ (converted + lapsed).", part: .converted,
        whole: [.converted, .lapsed])
    case .churn:
      ChartShare(title: "Share lost", definition: "Lost ÷ paying.", part: .lost, whole: [.paying])
    default: nil
    }
  }
}

/// A share in percent, rounded down to thousandths.
struct ChartShare {
  let title: String
  let definition: String
  let part: ChartColumn
  let whole: [ChartColumn]

  /// The share of a month; empty if there is nothing of which it would be a part.
  func text(_ row: ChartRow) -> String {
    let sum = whole.reduce(0) { $0 + (row[$1] ?? 0) }
    guard sum > 0, let count = row[part] else { return "" }
    return Percentage.text(Int(count) * Percentage.whole / Int(sum))
  }
}

extension ChartName {
  /// The columns that are drawn as bars, one above the other.
  fileprivate var drawnColumns: [ChartColumn] {
    switch self {
    case .activeSubscriptions: [.paid, .priceUnknown, .free]
    case .recurringRevenue: [.net, .priceUnknown]
    case .trialsToPaid: [.converted, .outcomeUnknown, .running, .lapsed]
    case .churn: [.lost, .priceUnknownLost]
    case .refunds: [.amount, .priceUnknown]
    case .creditsOutstanding: [.outstanding]
    }
  }
}
