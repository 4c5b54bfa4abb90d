// What a person pastes to sign in: a link with a code, the code itself, or a token.

export type Credential = { kind: "code"; code: string } | { kind: "token"; token: string };

/** Parses it; undefined if it is empty. */
export function parseCredential(text: string): Credential | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const linked = /[#&?]code=([^&\s]+)/.exec(trimmed)?.[1];
  if (linked !== undefined) return { kind: "code", code: decode(linked) };
  if (/^dm_[\w-]+$/.test(trimmed)) return { kind: "token", token: trimmed };
  return { kind: "code", code: trimmed };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
