import Hummingbird

/// `/console/clock`.
struct ClockPages: Sendable {
  let desk: ConsoleDesk

  func add(to router: Router<DoorContext>) {
    router.get("/console/clock") { request, _ in
      let clock = desk.store.clock
      let page = ClockPage(now: clock.now, rate: clock.rate, command: desk.command(for: request))
      return desk.page("Clock", in: .clock, page.html)
    }
  }
}
