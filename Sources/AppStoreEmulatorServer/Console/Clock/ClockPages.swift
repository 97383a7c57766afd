import Hummingbird

/// The route of `/console/clock`.
struct ClockPages: Sendable {
  let desk: ConsoleContext

  func add(to router: Router<EmulatorRequestContext>) {
    router.get("/console/clock") { request, _ in
      let clock = desk.store.clock
      let page = ClockPage(now: clock.now, rate: clock.rate, command: desk.command(for: request))
      return desk.page("Clock", in: .clock, page.html)
    }
  }
}
