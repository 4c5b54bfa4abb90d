// What a person pastes to sign in: a link with a code, the code itself, or a token.

export type Key = { kind: "code"; code: string } | { kind: "token"; token: string };

/** Reads it; none when there is nothing in it. */
export function readKey(text: string): Key | undefined {
  const said = text.trim();
  if (said === "") return undefined;
  const linked = /[#&?]code=([^&\s]+)/.exec(said)?.[1];
  if (linked !== undefined) return { kind: "code", code: decode(linked) };
  if (/^dm_[\w-]+$/.test(said)) return { kind: "token", token: said };
  return { kind: "code", code: said };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
