// What all pages do by themselves. Every button and form works without this file.
"use strict";

// Sends a form that changes something once, however often it is clicked. Asks where a button says so, and tells the
// gateway that it did, which asks by a page of its own otherwise.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.sent) return event.preventDefault();
  const question = event.submitter?.dataset.confirm;
  if (question) {
    if (!confirm(question)) return event.preventDefault();
    const answer = form.elements.namedItem("confirmed") ?? form.appendChild(document.createElement("input"));
    Object.assign(answer, { type: "hidden", name: "confirmed", value: "1" });
  }
  if (form.method !== "post") return;
  form.dataset.sent = "1";
  // An answer that does not come leaves the page as it is, and so does Esc.
  setTimeout(() => delete form.dataset.sent, 20000);
});

// A preview confirms only what it has shown: once a field of its form changes, it has to be asked for again.
const confirmations = (form) => form?.parentElement.querySelectorAll(":scope > form.confirm") ?? [];
for (const kind of ["input", "change"]) {
  document.addEventListener(kind, ({ target }) => {
    for (const shown of confirmations(target.form)) if (shown !== target.form) shown.remove();
  });
}

// A page that somebody comes back to: its forms can be sent again, and one that was previewed says what the preview is
// of, whatever the browser has filled in.
addEventListener("pageshow", (event) => {
  for (const form of document.querySelectorAll("form")) {
    if (event.persisted) delete form.dataset.sent;
    if (confirmations(form).length && !form.matches(".confirm")) form.reset();
  }
});

// A notice is told once: loaded again, or kept as a bookmark, the address says nothing of it.
if (document.querySelector("#main > .notice")) {
  const address = new URL(location.href);
  for (const name of ["done", "count", "missing", "audit", "mark"]) address.searchParams.delete(name);
  history.replaceState(history.state, "", address);
}

// A login link carries its token behind the #, which no server gets to see. Where the login is open already, nothing is
// loaded for it.
const login = document.getElementById("login");
const followLink = () => {
  if (location.hash.length < 2) return;
  const given = new URLSearchParams(location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
  login.elements.token.value = given.get("token") ?? "";
  login.elements.name.value = given.get("name") ?? "";
  // On this machine only: elsewhere a link would log whoever follows it in as somebody else.
  const isOwn = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  if (isOwn && login.elements.token.value && login.elements.name.value) login.requestSubmit();
};
if (login) {
  followLink();
  addEventListener("hashchange", followLink);
}

// A user who came by a link of another site's, and so without the cookie, may be logged in all the same.
const next = document.getElementById("next");
if (next) {
  fetch(next.href, { redirect: "manual", cache: "no-store" })
    .then((answer) => {
      if (answer.ok) location.replace(next.href);
      // Led back to the login: the link would do the same.
      else if (answer.type === "opaqueredirect") next.parentElement.remove();
    })
    .catch(() => {});
}

// A narrow screen scrolls the links of the pages: the one that is open is among those seen.
const here = document.querySelector(".top nav [aria-current]");
if (here) {
  const [link, room] = [here.getBoundingClientRect(), here.parentElement.getBoundingClientRect()];
  here.parentElement.scrollLeft += link.left + link.width / 2 - room.left - room.width / 2;
}
