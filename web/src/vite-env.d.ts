/// <reference types="vite/client" />

/** The version of the page, which is that of the binary it is embedded in. */
declare const __VERSION__: string;
