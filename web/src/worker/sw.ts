// Caches the app of one build, so that it opens while the server is unreachable.
//
// The network always comes first, so an old page never runs against a newer server. The cache is named
// after the hash of the build and replaces the previous one. It holds no personal data: the API is not
// touched.

/** The worker's global scope; its types conflict with those of a page. */
interface Scope {
  addEventListener(type: "install", then: (event: Installing) => void): void;
  addEventListener(type: "activate", then: (event: Waiting) => void): void;
  addEventListener(type: "fetch", then: (event: Fetching) => void): void;
  skipWaiting(): Promise<void>;
}
interface Waiting {
  waitUntil(work: Promise<unknown>): void;
}
interface Installing extends Waiting {
  /** Lets requests bypass the worker; not every browser has it. */
  addRoutes?(route: { condition: { urlPattern: string }; source: "network" }): Promise<void>;
}
interface Fetching {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}

/** The files and the hash of this build, inserted by `vite.config.ts`. */
declare const __SHELL__: { build: string; entry: string; files: string[] };

const scope = self as unknown as Scope;
const { build, entry, files } = __SHELL__;
const PREFIX = "dormouse-app-";
const NAME = PREFIX + build;
const known = new Set(files);

async function install(): Promise<void> {
  const page = await fetch("/", { cache: "no-cache" });
  // A newer build replaced the page meanwhile; its own worker caches it.
  if (!page.ok || !(await page.clone().text()).includes(entry)) throw new Error("the page is of another build");
  const cache = await caches.open(NAME);
  await Promise.all([cache.put("/", page), cache.addAll(files)]);
  await scope.skipWaiting();
}

async function forgetOthers(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== NAME).map((name) => caches.delete(name)));
}

async function keptAt(path: string): Promise<Response | undefined> {
  return (await caches.open(NAME)).match(path);
}

/** The page from the server, or the cached one if it doesn't respond. */
async function page(request: Request): Promise<Response> {
  try {
    const answer = await fetch(request);
    // A proxy responds, but Dormouse behind it doesn't.
    if (answer.status < 502 || answer.status > 504) return answer;
    return (await keptAt("/")) ?? answer;
  } catch (error) {
    const kept = await keptAt("/");
    if (kept === undefined) throw error;
    return kept;
  }
}

scope.addEventListener("install", (event) => {
  void event.addRoutes?.({ condition: { urlPattern: "/api/*" }, source: "network" }).catch(() => undefined);
  event.waitUntil(install());
});
scope.addEventListener("activate", (event) => event.waitUntil(forgetOthers()));
scope.addEventListener("fetch", (event) => {
  const { request } = event;
  const { pathname, origin } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (/^\/(api|healthz|readyz|problems)(\/|$)/.test(pathname)) return;
  if (request.mode === "navigate") event.respondWith(page(request));
  else if (known.has(pathname)) event.respondWith(keptAt(pathname).then((kept) => kept ?? fetch(request)));
});
