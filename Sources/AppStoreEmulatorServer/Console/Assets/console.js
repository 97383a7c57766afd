// The store's clock in the header of the console's pages.
(() => {
  "use strict";

  // ---- The store's clock, between two looks ----

  setInterval(() => {
    for (const clock of document.querySelectorAll("[data-clock] time")) {
      const { clock: shown, rate } = clock.parentElement.dataset;
      if (clock.since === undefined) clock.since = performance.now();
      const date = new Date(Number(shown) + (performance.now() - clock.since) * Number(rate));
      clock.textContent = date.toISOString().slice(0, 19).replace("T", " ");
    }
  }, 1000);

  // ---- The menu ----

  // A narrow window has no room for the buttons, so there they are in a menu, which is closed until it is used.
  const narrow = matchMedia("(max-width: 1000px)");
  let isOpen = false;
  const fit = () => {
    const menu = document.getElementById("clock-menu");
    if (menu) menu.open = !narrow.matches || isOpen;
  };
  document.addEventListener("toggle", (event) => {
    if (event.target.id === "clock-menu" && narrow.matches) isOpen = event.target.open;
  }, true);
  narrow.addEventListener("change", fit);
  document.addEventListener("page-changed", fit);
  fit();
})();
