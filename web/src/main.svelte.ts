import "./styles/tokens.css";
import "./styles/base.css";

import { mount, untrack } from "svelte";

import App from "./App.svelte";
import { startShortcuts } from "./app/shortcuts";
import { router } from "./app/router.svelte";
import { session } from "./app/session.svelte";
import { appearance } from "./app/theme.svelte";
import { chooseLocale, setLocale } from "./i18n/index.svelte";
import { connection } from "./live/connection";
import { live } from "./live/store.svelte";

appearance.apply();
router.start();
startShortcuts();
await Promise.all([setLocale(chooseLocale(navigator.languages)), session.signInFromUrl()]);

$effect.root(() => {
  // The connection is up while someone is signed in.
  $effect(() => {
    const isIn = session.token !== undefined;
    // State that these read must not trigger the effect.
    untrack(() => {
      if (isIn) connection.start();
      else {
        connection.stop();
        live.clear();
      }
    });
  });
});

const target = document.getElementById("app");
if (target === null) throw new Error("index.html has no #app");
mount(App, { target });
