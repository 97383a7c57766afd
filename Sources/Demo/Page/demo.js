// Follows the tour's plays: shows the window in which a play acts, and the page there. Documentation/pages.md, "The demo".
(() => {
  "use strict";

  // The last page of each window, in the order in which a play has shown them.
  const pages = () => [...document.getElementById("stage").children].map((page) => page.dataset);
  const isPlaying = () => "playing" in document.getElementById("stage").dataset;
  const newest = () => Number(pages().at(-1)?.number ?? 0);
  // A page that is loaded while nothing is played does not go back to an earlier play.
  let followed = isPlaying() ? newest() - 1 : newest();

  const send = (frame, address) => frame.contentWindow.postMessage({ show: address }, new URL(frame.src).origin);

  // On a wide page, the store is beside the devices and cannot be chosen: it is chosen when the page becomes narrower.
  let later = null;
  const choose = (choice) => {
    later = choice.checkVisibility() ? null : choice;
    if (!later) choice.checked = true;
  };

  // Shows each page that is new, and the window of the newest one.
  const follow = () => {
    const news = pages().filter((page) => page.number > followed && document.getElementById(`frame-${page.window}`));
    followed = newest();
    for (const { window: name, address } of news) send(document.getElementById(`frame-${name}`), address);
    const last = news.at(-1);
    if (!last) return;
    choose(document.getElementById(`show-${last.window}`));
    document.getElementById(`frame-${last.window}`).scrollIntoView({ block: "nearest" });
  };

  // A frame that is being loaded hears nothing.
  const loaded = (event) => {
    const page = isPlaying() && pages().at(-1);
    if (page && event.target.id === `frame-${page.window}`) send(event.target, page.address);
  };

  addEventListener("resize", () => later && choose(later));
  document.addEventListener("change", (event) => event.target.name === "window" && (later = null));
  document.addEventListener("page-changed", follow);
  document.addEventListener("load", loaded, true);
  follow();
})();
