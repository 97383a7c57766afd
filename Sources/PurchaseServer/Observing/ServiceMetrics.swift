import CoreMetrics
import StoreModel

/// The server's metrics. They are recorded by swift-metrics' API, and `/metrics` shows them in Prometheus' text format.
public final class ServiceMetrics: Sendable {
  private let exporter = PrometheusExporter([
    .init(Name.requests, .counter, "Requests by method, route and status."),
    .init(Name.durations, .histogram, "How long requests took, until the head of the answer."),
    .init(Name.redemptions, .counter, "Purchases and proofs by what came of them."),
    .init(Name.reverifications, .counter, "Proofs that the store was asked about again, by what came of it."),
    .init(Name.notifications, .counter, "Notifications of the App Store by what came of them."),
    .init(Name.consumptionRequests, .counter, "Consumption requests of the App Store by what came of them."),
    .init(Name.webhookAttempts, .counter, "Attempts to deliver messages of webhooks by what came of them."),
    .init(Name.storeErrors, .counter, "What went wrong between here and the store."),
    .init(Name.downloadedBytes, .counter, "Bytes of content that downloads were sent."),
  ])
  /// What was heard of the store. Texts are in no metric.
  let store = StoreContacts()
  private let factory: any MetricsFactory
  private let answered = LockedValue<Int64>(0)
  private let lastNotifications = LockedValue<[String: StoreDate]>([:])

  private enum Name {
    static let requests = "purchase_server_requests_total"
    static let durations = "purchase_server_request_seconds"
    static let redemptions = "purchase_server_redemptions_total"
    static let reverifications = "purchase_server_reverifications_total"
    static let notifications = "purchase_server_notifications_total"
    static let consumptionRequests = "purchase_server_consumption_requests_total"
    static let webhookAttempts = "purchase_server_webhook_attempts_total"
    static let storeErrors = "purchase_server_store_troubles_total"
    static let downloadedBytes = "purchase_server_downloaded_bytes_total"
  }

  /// - Parameter other: records the metrics as well; nil for `/metrics` only.
  public init(recordingTo other: (any MetricsFactory)? = nil) {
    factory = other.map { [exporter] in MultiplexMetricsHandler(factories: [exporter, $0]) } ?? exporter
  }

  /// The number of requests that were answered since the start.
  var answeredRequests: Int64 { answered.value }

  func countRequest(method: String, route: String, status: Int, nanoseconds: Int64) {
    answered.withLock { $0 += 1 }
    let dimensions = [("method", method), ("route", route)]
    Timer(label: Name.durations, dimensions: dimensions, factory: factory).recordNanoseconds(nanoseconds)
    count(Name.requests, dimensions + [("status", "\(status)")])
  }

  func countRedemption(_ outcome: String) { count(Name.redemptions, [("outcome", outcome)]) }
  func countReverification(_ outcome: String) { count(Name.reverifications, [("outcome", outcome)]) }
  func countConsumptionRequest(_ outcome: String) { count(Name.consumptionRequests, [("outcome", outcome)]) }
  func countWebhookAttempt(_ outcome: String) { count(Name.webhookAttempts, [("outcome", outcome)]) }

  /// Counts a call of the store that failed, and notes it for the page of the server's state.
  func noteStoreFailure(of app: BundleID, _ detail: String, at date: StoreDate) {
    count(Name.storeErrors, [("app", app.rawValue)])
    store.noteFailure(about: app, detail, at: date)
  }

  /// - Parameter source: `sent`, `history` or `replay`.
  func countNotification(_ outcome: String, source: String) {
    count(Name.notifications, [("outcome", outcome), ("source", source)])
  }

  /// Notes that a genuine notification was received.
  func noteNotification(of app: String, at date: StoreDate) {
    lastNotifications.withLock { $0[app] = max($0[app] ?? date, date) }
  }

  func countDownloaded(bytes: Int64) {
    Counter(label: Name.downloadedBytes, factory: factory).increment(by: bytes)
  }

  private func count(_ name: String, _ dimensions: [(String, String)]) {
    Counter(label: name, dimensions: dimensions, factory: factory).increment()
  }

  /// - Parameter underWay: the number of requests in progress.
  func text(underWay: Int) -> String {
    let name = "purchase_server_requests_under_way"
    return exporter.text
      + "# HELP \(name) Requests that are being answered.\n# TYPE \(name) gauge\n\(name) \(underWay)\n"
      + lastNotificationText
  }

  /// The dates at which the last notifications of the apps were received, as UNIX time in seconds.
  private var lastNotificationText: String {
    let name = "purchase_server_last_notification_seconds"
    let series = lastNotifications.value.sorted { $0.key < $1.key }.map { app, date in
      "\(name)\(MetricLabels(["app": app]).text) \(date.millisecondsSince1970 / 1000)\n"
    }
    return
      "# HELP \(name) When the last notification was received, as UNIX time.\n# TYPE \(name) gauge\n\(series.joined())"
  }
}

/// The labels of a time series, sorted by name.
struct MetricLabels: Hashable, Sendable {
  private let values: [String: String]

  init(_ values: [String: String]) { self.values = values }

  func with(_ name: String, _ value: String) -> MetricLabels {
    MetricLabels(values.merging([name: value]) { $1 })
  }

  var text: String {
    guard !values.isEmpty else { return "" }
    let pairs = values.sorted { $0.key < $1.key }.map { name, value in
      let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
      return "\(name)=\"\(escaped)\""
    }
    return "{\(pairs.joined(separator: ","))}"
  }
}
