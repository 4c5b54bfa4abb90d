//! Full stops that end no sentence. A text is cut into sentences before its language is known, so the words of all
//! languages count.

/// Lower-case words of German, French, Spanish and Romanian that end in a full stop of their own. None of them is
/// a word that a sentence could end with.
#[rustfmt::skip] // A list of words is read like a paragraph, not like a column.
pub const ABBREVIATIONS: &[&str] = &[
    // German
    "abt", "bd", "bspw", "bzgl", "bzw", "evtl", "fa", "fr", "frl", "geb", "gem", "ggf", "hbf", "hr", "inkl", "kfm",
    "mind", "mio", "mrd", "nr", "sog", "std", "stk", "str", "tel", "tgl", "vgl", "zzgl", "zzt",
    // French
    "av", "boul", "chap", "env", "mlle", "mme", "mmes", "réf", "tél",
    // Spanish
    "aprox", "avda", "dcha", "dra", "dto", "izq", "núm", "pág", "sra", "srta", "tfno", "ud", "uds",
    // Romanian
    "cca", "dl", "dna", "dnei", "jud",
];

/// Lower-case words before a number that with its full stop is an ordinal, in languages that write it so: German
/// "am 30. Zeit haben".
#[rustfmt::skip] // A list of words is read like a paragraph, not like a column.
pub const BEFORE_ORDINALS: &[&str] = &[
    "ab", "am", "beim", "bis", "das", "dem", "den", "der", "des", "die", "dieser", "diesem", "diesen", "im", "ins",
    "jede", "jeden", "jeder", "jedem", "nächsten", "seit", "vom", "zum", "zur",
];

/// Lower-case words of such a language that begin a sentence and name nothing that an ordinal could count.
#[rustfmt::skip] // A list of words is read like a paragraph, not like a column.
pub const AFTER_NO_ORDINAL: &[&str] = &[
    "aber", "alle", "alles", "als", "am", "auch", "auf", "aus", "außerdem", "bei", "bis", "bitte", "da", "dafür",
    "danach", "dann", "darum", "das", "dazu", "dem", "den", "der", "deshalb", "die", "diese", "dieser", "dort", "du",
    "ein", "eine", "einen", "er", "es", "falls", "für", "heute", "hier", "ich", "ihr", "im", "in", "jetzt", "kein",
    "keine", "leider", "man", "mein", "meine", "mit", "morgen", "nach", "nachher", "nicht", "noch", "nun", "nur",
    "ob", "oder", "ohne", "schon", "sie", "so", "sonst", "und", "uns", "unser", "unsere", "vielleicht", "von", "vor",
    "vorher", "wann", "warum", "was", "weil", "wenn", "wer", "wie", "wir", "wo", "zu", "zum", "zur",
];
