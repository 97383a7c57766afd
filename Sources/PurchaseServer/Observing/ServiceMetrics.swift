/// The server's metrics, in Prometheus' text format 0.0.4.
public final class ServiceMetrics: Sendable {
  let requests = MetricCounter(
    "purchase_server_requests_total", "Requests by method, route and status.")
  let durations = MetricHistogram(
    "purchase_server_request_seconds", "How long requests took, until the head of the answer.")
  let redemptions = MetricCounter(
    "purchase_server_redemptions_total", "Purchases and proofs by what came of them.")
  let reverifications = MetricCounter(
    "purchase_server_reverifications_total", "Proofs that the store was asked about again, by what came of it.")
  let storeTroubles = MetricCounter(
    "purchase_server_store_troubles_total", "What went wrong between here and the store.")

  let downloadedBytes = MetricCounter(
    "purchase_server_downloaded_bytes_total", "Bytes of content that downloads were sent.")

  public init() {}

  /// - Parameter underWay: the current number of requests.
  func text(underWay: Int) -> String {
    let name = "purchase_server_requests_under_way"
    return [requests.text, durations.text, redemptions.text, reverifications.text, storeTroubles.text].joined()
      + downloadedBytes.text
      + "# HELP \(name) Requests that are being answered.\n# TYPE \(name) gauge\n\(name) \(underWay)\n"
  }
}
