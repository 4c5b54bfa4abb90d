/** A text, or its plural forms. */
export type Message = string | Partial<Record<Intl.LDMLPluralRule, string>>;
