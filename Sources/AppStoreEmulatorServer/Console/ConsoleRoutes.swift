import AppStoreEmulator
import Hummingbird
import WebSupport

/// The routes of the console: `/` and `/console/…`. Its pages only read; its forms make calls of the control API.
struct ConsoleRoutes: Sendable {
  let desk: ConsoleContext
  let news: StoreSignal
  let shelf: ProofCache
  let control: RouterResponder<BasicRequestContext>

  func add(to router: Router<EmulatorRequestContext>) {
    PageAssets([ConsoleAssets.stylesheet, ConsoleAssets.script]).add(to: router)
    router.get("/console/live") { request, _ in try Response.liveStream(news.bell, for: request) }
    CallRoutes(desk: desk, control: control).add(to: router)
    TransactionRoutes(desk: desk, shelf: shelf).add(to: router)
    CustomerPages(desk: desk).add(to: router)
    CatalogPages(desk: desk).add(to: router)
    ClockPages(desk: desk).add(to: router)
    FaultPages(desk: desk).add(to: router)
    RequestPages(desk: desk).add(to: router)
  }
}
