import APIDescription
import PurchaseLedger
import StoreModel

extension ServiceEndpoints {
  static let chart = OperatorEndpoint<ChartPath, ChartQuery, NoMembers, ChartView>(
    .get, "/v1/operator/charts/{name}", role: .read, name: "chart",
    summary:
      """
      Makes a chart of an app from the ledger's rows: a value of each column for each calendar month in UTC. \
      Documentation/charts.md defines the numbers, and says what is read.
      """, answers: "The chart, with its definition",
    otherResponses: [
      OtherResponse(404, "unknownApp"),
      OtherResponse(
        422,
        "invalid: there are no months, more than 36, or one has not begun; or the chart has no currency or environment"),
    ])

  static let charts: [any DescribedEndpoint] = [chart]
}

struct ChartPath: APIObject {
  let name: ChartName
}

struct ChartQuery: APIObject {
  let app: BundleID
  let environment: StoreEnvironment?
  let from: ChartMonth?
  let until: ChartMonth?
  let currency: String?

  static let notes: [String: MemberNote] = [
    "environment": .init(
      "Not of creditsOutstanding: credit accounts have no environment.",
      defaultValue: .string(StoreEnvironment.production.rawValue)),
    "from": "The first month. Without it, there are 12 months.",
    "until": "The last month, at most 35 after the first one. Without it, it is the present month.",
    "currency": .init(
      "Only of recurringRevenue and refunds: an ISO 4217 code. Without it, there is a series for each currency.",
      pattern: "^[A-Z]{3}$"),
  ]

  var request: ChartRequest {
    ChartRequest(app: app, environment: environment, from: from, until: until, currency: currency)
  }
}

/// A chart with its texts.
struct ChartView: APIObject {
  let name: ChartName
  let app: BundleID
  let environment: StoreEnvironment?
  let from: ChartMonth
  let until: ChartMonth
  let date: StoreDate
  let definition: String
  let columns: [ChartColumnView]
  let series: [ChartSeries]

  static let notes: [String: MemberNote] = [
    "environment": "Missing of creditsOutstanding.", "from": "The first month.", "until": "The last month.",
    "date": "When the chart was made: by the store's clock; of creditsOutstanding, by the server's.",
    "definition": "What the chart shows.", "columns": "What the values are, in the order in which they are read.",
    "series":
      """
    One for each currency or unit of credits, in the order of their names. Charts of money end with one without a currency, which \
    counts what has no known price. Charts that only count have one.
    """,
  ]

  init(_ chart: Chart) {
    name = chart.name
    app = chart.app
    environment = chart.environment
    from = chart.from
    until = chart.until
    date = chart.date
    definition = chart.name.definition
    columns = chart.name.columns
    series = chart.series
  }
}

struct ChartColumnView: APIObject, Hashable {
  let name: ChartColumn
  let title: String
  let kind: ChartValueKind
  let definition: String

  static let notes: [String: MemberNote] = [
    "name": "The name of the column in `values`.", "title": "For people.",
    "kind":
      "count: a number of subscriptions, refunds or accounts; money: thousandths of a unit of the series' currency; credits: of the series' unit.",
    "definition": "What is counted or added up.",
  ]
}

enum ChartValueKind: String, CaseIterable, Codable, Sendable {
  case count, money, credits
}

extension ChartValueKind: APIValue {
  static var componentName: String? { "ChartValueKind" }
}

extension ChartName: APIValue {
  package static var componentName: String? { "ChartName" }
}

extension ChartColumn: APIValue {
  package static var componentName: String? { "ChartColumnName" }
}

extension ChartMonth: APIValue {
  package static func schema(_ components: SchemaComponents) -> JSONSchema {
    JSONSchema(
      .string, note: MemberNote("A calendar month in UTC, such as 2026-01.", pattern: ChartMonth.pattern))
  }
  package static var sample: ChartMonth { ChartMonth(containing: StoreDate(millisecondsSince1970: 0)) }
  package static var componentName: String? { "ChartMonth" }
}

extension ChartSeries: APIObject {
  package static let notes: [String: MemberNote] = [
    "currency": "An ISO 4217 code; missing if the series is about no currency, or about what has no known price.",
    "unit": "The unit of credits; missing in other charts.",
    "months": "A row for each month, in their order.",
  ]
}

extension ChartRow: APIObject {
  package static let schemaName = "ChartRow"
  package static let notes: [String: MemberNote] = [
    "values": "A whole number for each column of the series, by the column's name."
  ]
}
