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
  const isTyping = active && part.contains(active) && active.matches("input, select, textarea");
  return Boolean(isTyping || part.querySelector("input[type=checkbox]:checked"));
}

const focusable = "a, summary, button, input, select";

// Puts a fresh part in the place of the old one: what was opened stays open, and the focus stays where it was.
function put(fresh, part) {
  const old = part.querySelectorAll("details");
  fresh.querySelectorAll("details").forEach((details, index) => { details.open = old[index]?.open ?? details.open; });
  if (fresh.innerHTML === part.innerHTML) return;
  const focused = [...part.querySelectorAll(focusable)].indexOf(document.activeElement);
  part.replaceWith(document.adoptNode(fresh));
  fresh.querySelectorAll(focusable)[focused]?.focus({ preventScroll: true });
}

// Loads the page again and puts its live parts in the place of the old ones.
async function refresh() {
  const answer = await fetch(location.href, {
    headers: { Accept: "text/html" }, cache: "no-store", signal: AbortSignal.timeout(15000),
  });
  if (answer.redirected || answer.status === 401) return location.reload();
  if (!answer.ok) throw new Error(String(answer.status));
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of parts()) {
    const fresh = page.getElementById(part.id);
    if (fresh && !isBusy(part)) put(fresh, part);
  }
  if (!page.body.dataset.live) stop();
}

// One refresh at a time: news that come meanwhile lead to one more, after a pause.
const pause = 700;
let isRefreshing = false;
let isWanted = false;
let isAnswering = true;

async function want() {
  isWanted = true;
  if (isRefreshing || document.hidden) return;
  isRefreshing = true;
  while (isWanted && !document.hidden) {
    isWanted = false;
    try {
      await refresh();
      isAnswering = true;
    } catch {
      isAnswering = false;
    }
    tell();
    await new Promise((done) => setTimeout(done, pause));
  }
  isRefreshing = false;
}

let source = null;
let timer = null;

// Says how the page hears of news now: an outage that is over is not told any longer.
function tell() {
  const isLive = Boolean(timer && isAnswering && source?.readyState === EventSource.OPEN);
  if (!timer) say("settled", false);
  else if (!isAnswering) say("the gateway does not answer", false);
  else say(isLive ? "live" : "asking every few seconds", isLive);
}

function stop() {
  source?.close();
  clearInterval(timer);
  source = timer = null;
  tell();
}

// Opens the stream of events, one at a time. One that was refused never comes back by itself.
function listen() {
  if (document.hidden || (source && source.readyState !== EventSource.CLOSED)) return;
  source = new EventSource(document.body.dataset.live);
  source.onopen = () => { tell(); want(); };
  source.onerror = tell;
  for (const name of ["changes", "gap"]) source.addEventListener(name, want);
}

// Events where they work; where they do not, a question every few seconds, never two at once.
function start() {
  if (!document.body.dataset.live) return;
  listen();
  // Numbers that change without an event, such as ages, and what an event may have missed.
  timer = setInterval(() => { listen(); want(); }, 5000);
}

// A page that nobody sees gives its stream back: a browser has six connections for all tabs of a host.
document.addEventListener("visibilitychange", () => {
  if (!timer) return;
  if (document.hidden) {
    source?.close();
  } else {
    listen();
    want();
  }
});
// Asks before anything is deleted, and says so to the gateway, which asks by a page of its own otherwise.
document.addEventListener("submit", (event) => {
  const question = event.submitter?.dataset.confirm;
  if (!question) return;
  if (!confirm(question)) return event.preventDefault();
  const form = event.target;
  const answer = form.elements.namedItem("confirmed") ?? form.appendChild(document.createElement("input"));
  Object.assign(answer, { type: "hidden", name: "confirmed", value: "1" });
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
