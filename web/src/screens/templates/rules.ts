// The logic of templates: pure functions.

import { has, number, t, valueText, type Key } from "../../i18n/index.svelte";
import { modelName } from "../settings/models/rules";
import { KINDS, type EvolutionMessage, type Setting, type Template, type TemplateKind, type Version } from "./data";

/** Units: bytes of UTF-8. What a directive has at most. */
export const MAX_DIRECTIVE = 12 * 1024;
/** Units: characters. What the name of a template has at most. */
export const MAX_NAME = 100;

/** What a person edits and saves as a version. */
export interface Words {
  generalDirective: string;
  reportDirective: string;
  modelId: string | null;
  profileId: string | null;
}

/** The texts and settings of a version; those of a template without one are the defaults. */
export function wordsOf(version: Version | null): Words {
  return {
    generalDirective: version?.generalDirective ?? "",
    reportDirective: version?.reportDirective ?? "",
    modelId: version?.modelId ?? null,
    profileId: version?.profileId ?? null,
  };
}

/** What of `words` differs from a version. */
export function changesOf(words: Words, saved: Words): Partial<Words> {
  return {
    ...(words.generalDirective === saved.generalDirective ? {} : { generalDirective: words.generalDirective }),
    ...(words.reportDirective === saved.reportDirective ? {} : { reportDirective: words.reportDirective }),
    ...(words.modelId === saved.modelId ? {} : { modelId: words.modelId }),
    ...(words.profileId === saved.profileId ? {} : { profileId: words.profileId }),
  };
}

export const isSame = (one: Words, other: Words): boolean => Object.keys(changesOf(one, other)).length === 0;

/** Units: bytes of UTF-8. */
export const sizeOf = (text: string): number => new TextEncoder().encode(text).length;

export const isTooLong = (text: string): boolean => sizeOf(text) > MAX_DIRECTIVE;

export const countOf = (text: string): number => text.match(/\S+/g)?.length ?? 0;

/** How long a directive is: its words, and how much of its room it takes. */
export function lengthWords(text: string): string {
  const size = sizeOf(text);
  if (size > MAX_DIRECTIVE) return t("templates.tooLong", { over: number(size - MAX_DIRECTIVE), most: number(MAX_DIRECTIVE) });
  return t("templates.length", { n: countOf(text), size: number(Math.ceil((size / 1024) * 10) / 10), most: MAX_DIRECTIVE / 1024 });
}

/** A setting as a sentence. One that this page doesn't know yet is named. */
export function settingWords(setting: Setting): string {
  switch (setting.setting) {
    case "length":
      return valueText("templates.says.length", setting.length);
    case "tone":
      return valueText("templates.says.tone", setting.tone);
    case "summarySentences":
      return t("templates.says.summarySentences", { n: setting.most });
    case "emojis":
      return t(setting.allowed ? "templates.says.emojis" : "templates.says.noEmojis");
    case "first":
      return valueText("templates.says.first", setting.section);
    case "leaveOut":
      return valueText("templates.says.leaveOut", setting.section);
    case "neverPropose":
      return valueText("templates.says.neverPropose", setting.kind);
    default:
      return (setting as { setting: string }).setting;
  }
}

const flat = (text: string): string => text.replace(/\s+/g, " ");

/**
 * The sentences of each directive. They come in the order of the text, the general directive first. Those that are in
 * neither are of a default text, which an empty directive means.
 */
export function byDirective(words: Pick<Words, "generalDirective" | "reportDirective">, sentences: readonly string[]): { general: string[]; report: string[] } {
  const [general, report] = [flat(words.generalDirective), flat(words.reportDirective)];
  const found = { general: [] as string[], report: [] as string[] };
  const at = { general: 0, report: 0 };
  for (const sentence of sentences) {
    const text = flat(sentence);
    const inGeneral = found.report.length > 0 ? -1 : general.indexOf(text, at.general);
    const inReport = report.indexOf(text, at.report);
    if (inGeneral >= 0) {
      found.general.push(sentence);
      at.general = inGeneral + text.length;
    } else if (inReport >= 0) {
      found.report.push(sentence);
      at.report = inReport + text.length;
    }
  }
  return found;
}

/** The ids of what comes with the program are names, padded with zeros; those of other templates begin with a time. */
export const isStock = (template: Pick<Template, "id">): boolean => template.id.startsWith("at-000000");

export interface Group {
  kind: TemplateKind;
  templates: Template[];
}

/** Those that are not archived, by kind. One of a kind that this page doesn't know yet comes with the task agents. */
export function grouped(templates: readonly Template[]): Group[] {
  const inUse = templates.filter((one) => one.archivedAt === null);
  const kindOf = (template: Template): TemplateKind => KINDS.find((kind) => kind === template.kind) ?? "taskAgent";
  return KINDS.map((kind) => ({ kind, templates: inUse.filter((one) => kindOf(one) === kind) })).filter((group) => group.templates.length > 0);
}

/** What an agent may be assigned: templates for tasks that are in use, and the one that it follows. */
export function assignable(templates: readonly Template[], current: string | null): Template[] {
  return templates.filter((one) => one.kind === "taskAgent" && ((one.archivedAt === null && one.activeVersion !== null) || one.id === current));
}

/** Who wrote a version. `self`: who this browser is signed in as, if that is known. */
export function authorWords(version: Pick<Version, "authoredBy">, self: string | undefined): string {
  if (version.authoredBy === self) return t("templates.author.owner");
  const kind = version.authoredBy.split(":")[0] ?? "";
  return has(`templates.author.${kind}`) ? t(`templates.author.${kind}` as Key) : t("templates.author.other", { name: version.authoredBy });
}

/** The model of a version. */
export const modelWords = (model: string | null): string => (model === null ? t("templates.asWorkspace") : modelName(model));

/** The versions to compare: those of the address, else what the active one changed. */
export function compared(active: number | null, newest: number, from: string | null, to: string | null): { from: number; to: number } | undefined {
  const read = (text: string | null): number | undefined => {
    const n = Number(text);
    return text !== null && Number.isInteger(n) && n >= 1 && n <= newest ? n : undefined;
  };
  const [first, second] = [read(from), read(to)];
  if (first !== undefined && second !== undefined) return { from: first, to: second };
  if (newest < 2) return undefined;
  const shown = active !== null && active > 1 ? active : newest;
  return { from: shown - 1, to: shown };
}

/** What was decided about each proposal of a session, by its number. One that is missing was replaced by a later one, or not decided. */
export function verdictsIn(messages: readonly Pick<EvolutionMessage, "role" | "verdictOn">[]): Map<number, "approved" | "rejected"> {
  const found = new Map<number, "approved" | "rejected">();
  for (const { role, verdictOn } of messages) {
    if (verdictOn !== null && verdictOn !== undefined && (role === "approved" || role === "rejected")) found.set(verdictOn, role);
  }
  return found;
}
