// Tests run with the English catalogue.

import { setLocale } from "./index.svelte";

await setLocale("en");
