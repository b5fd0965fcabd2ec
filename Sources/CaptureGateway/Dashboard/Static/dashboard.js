// What pages do by themselves: they load their live parts again when there is news. Without this file they are read by
// reloading them; every button and form works without it.
"use strict";

const parts = () => document.querySelectorAll(".live-part");
const sign = document.getElementById("live");

function say(text, isOn) {
  if (!sign) return;
  sign.textContent = text;
  sign.classList.toggle("on", isOn);
}

// Whether somebody is in the middle of something that a new part would take away.
function isBusy(part) {
  const active = document.activeElement;
  const hasOpen = part.querySelector("details[open]");
  const isTyping = active && part.contains(active) && active.matches("input, select, textarea");
  return Boolean(isTyping || hasOpen || part.querySelector("input[type=checkbox]:checked"));
}

// Loads the page again and puts its live parts in the place of the old ones. The focus stays where it was.
async function refresh() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" });
  if (answer.redirected || answer.status === 401) return location.reload();
  if (!answer.ok) throw new Error(String(answer.status));
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of parts()) {
    const fresh = page.getElementById(part.id);
    if (!fresh || isBusy(part) || fresh.innerHTML === part.innerHTML) continue;
    const focused = part.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    part.replaceWith(document.adoptNode(fresh));
    if (focused) document.querySelector(`.live-part a[href="${CSS.escape(focused)}"]`)?.focus();
  }
  const live = page.body.dataset.live;
  if (!live) stop();
}

// One refresh at a time: news that come meanwhile lead to one more, after a pause.
const pause = 700;
let isRefreshing = false;
let isWanted = false;

async function want() {
  isWanted = true;
  if (isRefreshing || document.hidden) return;
  isRefreshing = true;
  while (isWanted) {
    isWanted = false;
    try {
      await refresh();
    } catch {
      say("the gateway does not answer", false);
    }
    await new Promise((done) => setTimeout(done, pause));
  }
  isRefreshing = false;
}

let source = null;
let timer = null;

function stop() {
  source?.close();
  clearInterval(timer);
  source = timer = null;
  say("settled", false);
}

// Events where they work; where they do not, a question every few seconds, never two at once.
function start() {
  const address = document.body.dataset.live;
  if (!address) return;
  source = new EventSource(address);
  source.onopen = () => { say("live", true); want(); };
  source.onerror = () => say("asking every few seconds", false);
  for (const name of ["changes", "gap"]) source.addEventListener(name, want);
  // Numbers that change without an event, such as ages, and what an event may have missed.
  timer = setInterval(() => want(), 5000);
}

document.addEventListener("visibilitychange", () => { if (!document.hidden && isWanted) want(); });
document.addEventListener("submit", (event) => {
  const question = event.submitter?.dataset.confirm;
  if (question && !confirm(question)) event.preventDefault();
});

// A login link carries its token behind the #, which no server gets to see.
const login = document.getElementById("login");
if (login && location.hash.length > 1) {
  const given = new URLSearchParams(location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
  login.elements.token.value = given.get("token") ?? "";
  login.elements.name.value = given.get("name") ?? "";
  // On this machine only: elsewhere a link would log whoever follows it in as somebody else.
  const isOwn = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  if (isOwn && login.elements.token.value && login.elements.name.value) login.requestSubmit();
}

start();
