import Hummingbird

/// The route of `/console/clock`.
struct ClockPages: Sendable {
  let console: ConsoleContext

  func add(to router: Router<EmulatorRequestContext>) {
    router.get("/console/clock") { request, _ in
      let clock = console.store.clock
      let page = ClockPage(now: clock.now, rate: clock.rate, command: console.command(for: request))
      return console.page("Clock", in: .clock, page.html)
    }
  }
}
