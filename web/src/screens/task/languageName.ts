// Names that the language of the page has for what the server only codes.

const languages = new Intl.DisplayNames("en", { type: "language", fallback: "code" });

/** The name of a language by its code; the code itself when nobody knows it. */
export function languageName(code: string): string {
  try {
    return languages.of(code) ?? code;
  } catch {
    return code;
  }
}
