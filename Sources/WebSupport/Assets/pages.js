// Keeps a page true to its server, and sends its forms. Documentation/pages.md, "Live pages and forms", describes the rules.
(() => {
  "use strict";

  const notice = document.getElementById("notice");
  const lost = document.getElementById("lost");

  // ---- Presses ----

  // A press is a pointer that goes down and up on one element, which is clicked then, or a space bar that does so. In between nothing
  // on the page is exchanged or moved: something else would be pressed, or nothing.
  const presses = new Map();
  const afterPresses = [];
  const steadily = (change) => {
    if (presses.size === 0) return change();
    afterPresses.push(change);
    // For the tests: a change waits for the end of a press.
    document.documentElement.dataset.held = "true";
  };
  const end = (key, press) => {
    if (presses.get(key) !== press) return;
    presses.delete(key);
    if (presses.size > 0) return;
    delete document.documentElement.dataset.held;
    for (const change of afterPresses.splice(0)) change();
  };
  const endAfter = (milliseconds, key) => presses.has(key) && setTimeout(end, milliseconds, key, presses.get(key));
  const begin = (key) => {
    presses.set(key, {});
    // A pointer released over a frame sends no event.
    endAfter(10000, key);
  };
  // The click comes right after a mouse's up, but in a task of its own after a finger's, and not at all after a gesture.
  addEventListener("pointerdown", (event) => event.button === 0 && begin(event.pointerId), true);
  addEventListener("pointerup", (event) => endAfter(event.pointerType === "mouse" ? 0 : 400, event.pointerId), true);
  addEventListener("pointercancel", (event) => endAfter(0, event.pointerId), true);
  addEventListener("click", (event) => endAfter(0, event.pointerId), true);
  addEventListener("pointermove", (event) => !(event.buttons & 1) && event.pointerType === "mouse" && endAfter(0, event.pointerId), true);
  addEventListener("keydown", (event) => event.key === " " && !event.repeat && event.target.matches("button, summary, input, select") && begin("space"), true);
  addEventListener("keyup", (event) => event.key === " " && endAfter(0, "space"), true);
  // Only for this window: a release elsewhere sends no event here.
  addEventListener("blur", () => {
    for (const key of [...presses.keys()]) endAfter(0, key);
  });

  // ---- Notices ----

  const showNotice = (text) =>
    steadily(() => {
      notice.textContent = text;
      notice.hidden = !text;
    });
  const setLost = (isLost) => steadily(() => (lost.hidden = !isLost));

  // ---- Focus ----

  // A page without the focus does not take it: the user may be typing in another frame.
  let focusLater = null;
  const focus = (element, options) => {
    if (document.hasFocus()) element.focus(options);
    else focusLater = element.id;
  };
  addEventListener("focus", () => {
    const element = focusLater && document.getElementById(focusLater);
    focusLater = null;
    if (element && document.activeElement === document.body) element.focus({ preventScroll: true });
  });

  // ---- Live regions ----

  const regionsOf = (page) => [...page.querySelectorAll("[data-live][id]")];
  // The server's last answer for each region. The document itself changes while it is used.
  const known = new Map(regionsOf(document).map((region) => [region.id, region.outerHTML]));

  // What the reader has done in a region: it outlives the exchange of the region.
  const remember = (region) => {
    const active = document.activeElement;
    return {
      focus: region.contains(active) && active.id ? active.id : null,
      selection: active && region.contains(active) && active.selectionStart !== undefined ? [active.selectionStart, active.selectionEnd] : null,
      open: [...region.querySelectorAll("details[id]")].map((details) => [details.id, details.open]),
      typed: [...region.querySelectorAll("input[id], textarea[id], select[id]")].filter(isChanged).map((field) => [field.id, valueOf(field)]),
      scrolled: [...region.querySelectorAll("[data-scroll][id]")].map((element) => [element.id, element.scrollTop, element.scrollLeft]),
    };
  };
  const isChanged = (field) => {
    if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
    if (field.type === "file") return false;
    if (field instanceof HTMLSelectElement) return [...field.options].some((option) => option.selected !== option.defaultSelected);
    return field.value !== field.defaultValue;
  };
  const valueOf = (field) => (field.type === "checkbox" || field.type === "radio" ? field.checked : field.value);
  const recall = (memory) => {
    for (const [id, open] of memory.open) {
      const details = document.getElementById(id);
      if (details) details.open = open;
    }
    for (const [id, value] of memory.typed) {
      const field = document.getElementById(id);
      if (!field) continue;
      if (typeof value === "boolean") field.checked = value;
      else field.value = value;
    }
    for (const [id, top, left] of memory.scrolled) {
      const element = document.getElementById(id);
      if (element) element.scrollTo(left, top);
    }
    const focused = memory.focus && document.getElementById(memory.focus);
    if (focused && focused !== document.activeElement) {
      focus(focused, { preventScroll: true });
      if (memory.selection && focused.setSelectionRange) {
        try {
          focused.setSelectionRange(...memory.selection);
        } catch {
          // Fields of some types have no selection.
        }
      }
    }
  };

  // ---- Announcements ----

  // Screen readers announce what changes inside an element that is on the page already. A region is exchanged as a whole, so
  // the texts of its status elements are repeated in an element that stays.
  const announcer = document.createElement("p");
  announcer.className = "sr-only";
  announcer.setAttribute("role", "status");
  document.body.append(announcer);
  const statusesOf = (region) => [...region.querySelectorAll("[role=status]")].map((status) => status.textContent.trim());
  const announce = (before, after) => {
    const news = after.filter((text) => text && !before.includes(text));
    if (news.length > 0) announcer.textContent = news.join(" ");
  };

  // ---- What the page around this one wants to show ----

  // The id of an element that is scrolled into view when it is on the page; and whether the page begins at its top.
  let [wanted, isAtTop] = ["", false];
  const reveal = () => {
    if (isAtTop) for (const element of [document.scrollingElement, ...document.querySelectorAll("[data-scroll]")]) element.scrollTo(0, 0);
    isAtTop = false;
    const element = wanted && document.getElementById(wanted);
    if (!element) return;
    wanted = "";
    const closed = element.closest("details:not([open])");
    if (closed && !closed.querySelector(":scope > summary").contains(element)) closed.open = true;
    element.scrollIntoView({ block: "nearest" });
    if (matchMedia("(prefers-reduced-motion: no-preference)").matches) {
      element.animate([{ outline: "3px solid var(--accent)", outlineOffset: "3px" }, { outline: "3px solid transparent", outlineOffset: "3px" }], 1500);
    }
  };

  const exchange = (html) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    const [there, here] = [regionsOf(page), regionsOf(document)];
    if (there.map((region) => region.id).join() !== here.map((region) => region.id).join()) {
      // Another page than was: all of it is new.
      replaceAll(page);
      return;
    }
    for (const region of there) {
      const text = region.outerHTML;
      if (known.get(region.id) === text) continue;
      const old = document.getElementById(region.id);
      const memory = remember(old);
      known.set(region.id, text);
      announce(statusesOf(old), statusesOf(region));
      old.replaceWith(document.adoptNode(region));
      recall(memory);
    }
    document.title = page.title;
    showSheets();
    reveal();
    document.dispatchEvent(new CustomEvent("page-changed"));
  };

  const replaceAll = (page) => {
    const focused = document.activeElement && document.activeElement.id;
    const memory = { ...remember(document.getElementById("main")), focus: null };
    document.body.querySelector("header.top").replaceWith(document.adoptNode(page.body.querySelector("header.top")));
    document.getElementById("main").replaceWith(document.adoptNode(page.getElementById("main")));
    document.body.className = page.body.className;
    document.title = page.title;
    known.clear();
    for (const region of regionsOf(document)) known.set(region.id, region.outerHTML);
    // What both pages have: a phone whose app starts is still the same phone.
    recall(memory);
    const again = focused && document.getElementById(focused);
    focus(again || document.getElementById("main"), { preventScroll: Boolean(again) });
    showSheets();
    reveal();
    document.dispatchEvent(new CustomEvent("page-changed"));
  };

  // The answer to a form can show a secret. It is shown once, so nothing takes its place before the user leaves the page.
  const showsSecret = () => document.getElementById("revealed") !== null;

  let [isFetching, isStale] = [false, false];
  // Two answers may come in another order than they were made in, so that an older one would take the place of a newer: what is
  // fetched while a form's answer arrives is fetched again, and so is what was told while a form was on its way.
  let [answers, rings] = [0, 0];
  const look = async () => {
    rings += 1;
    if (showsSecret()) return;
    if (isFetching || document.hidden) {
      isStale = true;
      return;
    }
    isFetching = true;
    isStale = false;
    const [address, answersBefore] = [location.href, answers];
    try {
      const reply = await fetch(address, { headers: { Accept: "text/html" } });
      const html = await reply.text();
      await new Promise(steadily);
      if (answers !== answersBefore || address !== location.href) isStale = true;
      else if ((reply.headers.get("Content-Type") || "").startsWith("text/html")) exchange(html);
      setLost(false);
    } catch {
      setLost(true);
    }
    isFetching = false;
    if (isStale) look();
  };

  let stream = null;
  const listen = () => {
    const address = document.body.dataset.stream;
    if (!address || stream) return;
    stream = new EventSource(address);
    stream.addEventListener("changed", look);
    stream.addEventListener("error", () => {
      setLost(true);
      // The browser comes back by itself, but not after an answer that was no stream. What it was instead the page says: it may want
      // a sign-in.
      if (stream && stream.readyState === EventSource.CLOSED) {
        stream = null;
        look();
        setTimeout(listen, 1000);
      }
    });
  };
  // A hidden page listens to nothing: browsers keep few connections to one server.
  const attend = () => {
    if (document.hidden) {
      if (stream) stream.close();
      stream = null;
    } else {
      listen();
    }
  };
  document.addEventListener("visibilitychange", attend);
  attend();

  // ---- Sheets ----

  let beforeSheet = null;
  const showSheets = () => {
    const sheets = [...document.querySelectorAll("dialog[data-sheet]")];
    for (const sheet of sheets) {
      if (sheet.open && sheet.matches(":modal")) continue;
      if (!beforeSheet && document.activeElement && document.activeElement !== document.body) beforeSheet = document.activeElement.id;
      sheet.removeAttribute("open");
      // What is inert is not given the focus.
      sheet.inert = !document.hasFocus();
      sheet.showModal();
      sheet.inert = false;
      const first = sheet.querySelector("[autofocus]");
      if (first && !document.hasFocus()) focus(first);
    }
    if (sheets.length === 0 && beforeSheet) {
      const element = document.getElementById(beforeSheet);
      if (element) focus(element, { preventScroll: true });
      beforeSheet = null;
    }
  };
  document.addEventListener(
    "cancel",
    (event) => {
      if (!event.target.matches("dialog[data-sheet]")) return;
      event.preventDefault();
      const button = event.target.querySelector("[data-cancel]");
      if (button) button.click();
    },
    true,
  );

  // ---- Forms ----

  // The reason of a refusal, and the name of the field that has to be corrected, if it is about one.
  const refusalOf = async (reply) => {
    const type = reply.headers.get("Content-Type") || "";
    const text = await reply.text();
    if (type.startsWith("application/json")) {
      try {
        return { text: JSON.parse(text).error.message };
      } catch {
        return { text };
      }
    }
    if (type.startsWith("text/html")) {
      const main = new DOMParser().parseFromString(text, "text/html").getElementById("main");
      const shown = main.querySelector(".notice") || main;
      return { text: shown.textContent.trim(), field: shown.dataset.field };
    }
    return { text: text || `The server answered ${reply.status}.` };
  };

  const removeRefusals = (form) => {
    for (const refusal of form.querySelectorAll(".refusal")) refusal.remove();
    for (const field of form.querySelectorAll("[aria-invalid]")) {
      field.removeAttribute("aria-invalid");
      field.removeAttribute("aria-errormessage");
    }
  };
  // Shows a refusal beside its field, or else as a notice.
  const showRefusal = (form, { text, field: name }) => {
    const field = name && [...form.elements].find((each) => each.name === name && each.type !== "hidden" && !each.disabled);
    const holder = field && field.id && field.closest(".field");
    if (!holder) return showNotice(text);
    const refusal = document.createElement("p");
    refusal.className = "refusal";
    refusal.id = `${field.id}-refusal`;
    refusal.setAttribute("role", "alert");
    refusal.textContent = text;
    holder.append(refusal);
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-errormessage", refusal.id);
    focus(field);
  };

  // Shows the outcome beside a form that has a place for it.
  const report = (form, isDone) => {
    const result = form.id && document.getElementById(`${form.id}-result`);
    if (result) result.textContent = isDone ? result.dataset.done : "";
  };

  // What was sent is what such a form begins with now: the reader is no longer typing it.
  const settle = (form) => {
    // The name of a request that was made is used up: the next one is another request.
    for (const name of form.querySelectorAll("input[data-request]")) {
      name.value = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("").replace(/^(.{8})(.{4}).(.{3}).(.{3})/, "$1-$2-4$3-8$4-");
      name.dispatchEvent(new Event("input", { bubbles: true }));
    }
    if (!form.querySelector("output[data-done]")) return;
    for (const field of form.elements) {
      if (field instanceof HTMLSelectElement) for (const option of field.options) option.defaultSelected = option.selected;
      else if (field.type === "checkbox") field.defaultChecked = field.checked;
      else if (field.type === "text") field.defaultValue = field.value;
    }
  };

  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.matches("[data-quiet]")) return;
    event.preventDefault();
    // One press is one request.
    if (form.dataset.sending) return;
    form.dataset.sending = "true";
    form.setAttribute("aria-busy", "true");
    showNotice("");
    removeRefusals(form);
    report(form, false);
    const button = event.submitter;
    const fields = new FormData(form, button);
    // Files go as they are, everything else as forms without a script are sent.
    const data = form.enctype === "multipart/form-data" ? fields : new URLSearchParams(fields);
    const ringsBefore = rings;
    try {
      const reply = await fetch((button && button.getAttribute("formaction")) || form.getAttribute("action") || location.href, { method: "POST", body: data, headers: { Accept: "text/html" } });
      setLost(false);
      if (!reply.ok) {
        showRefusal(form, await refusalOf(reply));
        look();
      } else {
        const html = await reply.text();
        await new Promise(steadily);
        if (reply.redirected && reply.url !== location.href) history.pushState(null, "", reply.url);
        answers += 1;
        settle(form);
        exchange(html);
        report(form, true);
        if (rings !== ringsBefore) look();
      }
    } catch {
      showNotice("The server did not answer.");
    }
    delete form.dataset.sending;
    form.removeAttribute("aria-busy");
  });
  addEventListener("popstate", () => (showsSecret() ? location.reload() : look()));

  // ---- Requests of the page around this one ----

  // A page that frames this one may ask for another page of this server, and for an element on it. The header `frame-ancestors` decides
  // which pages may frame this one.
  addEventListener("message", (event) => {
    if (parent === window || event.source !== parent || typeof event.data?.show !== "string") return;
    const target = new URL(event.data.show, location.href);
    if (target.origin !== location.origin) return;
    wanted = target.hash.slice(1);
    target.hash = "";
    if (target.pathname + target.search === location.pathname + location.search) {
      reveal();
    } else {
      history.replaceState(null, "", target);
      isAtTop = true;
      look();
    }
  });

  showSheets();
  document.documentElement.dataset.ready = "true";
  window.pages = { look, showNotice };
})();
