import Hummingbird

/// `/console/faults`.
struct FaultPages: Sendable {
  let desk: ConsoleDesk

  func add(to router: Router<DoorContext>) {
    router.get("/console/faults") { request, _ in
      desk.page(
        "Faults", in: .faults, FaultPage(faults: desk.store.faults(), command: desk.command(for: request)).html)
    }
  }
}
