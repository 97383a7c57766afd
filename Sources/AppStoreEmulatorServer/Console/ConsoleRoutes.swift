import AppStoreEmulator
import Hummingbird
import WebSupport

/// The routes of the console: `/` and `/console/…`. Its pages only read; its forms make calls of the control API.
struct ConsoleRoutes: Sendable {
  let console: ConsoleContext
  let storeSignal: StoreSignal
  let proofCache: ProofCache
  let salesCache: SalesCache
  let control: RouterResponder<BasicRequestContext>

  func add(to router: Router<EmulatorRequestContext>) {
    console.assets.add(to: router)
    router.get("/console/live") { request, _ in try Response.liveStream(storeSignal.signal, for: request) }
    // The console checks the session or the token before.
    CallRoutes<ConsoleContext, EmulatorRequestContext>(site: console) { call, _, context in
      try await control.respond(to: call, context: context.basic)
    }.add(to: router)
    TransactionRoutes(console: console, salesCache: salesCache).add(to: router)
    TransactionDetailRoutes(console: console, proofCache: proofCache).add(to: router)
    SearchRoutes(console: console).add(to: router)
    SubscriptionPages(console: console).add(to: router)
    CustomerPages(console: console).add(to: router)
    CatalogPages(console: console).add(to: router)
    NotificationPages(console: console).add(to: router)
    ClockPages(console: console).add(to: router)
    FaultPages(console: console).add(to: router)
    RequestPages(console: console).add(to: router)
    StoreRoutes(console: console).add(to: router)
  }
}

/// Signals the open pages when something changes in the store.
final class StoreSignal: Sendable {
  let signal: PageSignal
  private let listening: Task<Void, Never>

  init(store: EmulatedAppStore) {
    let (signal, changes) = (PageSignal(), store.activity())
    self.signal = signal
    // The sequence ends when the store is closed.
    listening = Task { for await _ in changes { signal.notify() } }
  }

  deinit { listening.cancel() }
}
