import AppStoreEmulator
import Hummingbird
import WebSupport

/// The routes of the console: `/` and `/console/…`. Its pages only read; changes are requests to `/control/v1`.
struct ConsoleRoutes: Sendable {
  let desk: ConsoleContext
  let news: StoreSignal
  let shelf: ProofCache

  func add(to router: Router<EmulatorRequestContext>) {
    PageAssets([ConsoleAssets.stylesheet, ConsoleAssets.script]).add(to: router)
    router.get("/console/live") { request, _ in try Response.liveStream(news.bell, for: request) }
    TransactionRoutes(desk: desk, shelf: shelf).add(to: router)
    CustomerPages(desk: desk).add(to: router)
    CatalogPages(desk: desk).add(to: router)
    ClockPages(desk: desk).add(to: router)
    FaultPages(desk: desk).add(to: router)
    RequestPages(desk: desk).add(to: router)
  }
}
