//! Who a pasted letter is from: the lines below "Best regards". What may be a task is none of them.

use super::boxed;

/// Units: characters. A longer line is no greeting and no name.
pub(super) const LONG: usize = 40;

/// Units: words of a name.
const MOST_WORDS: usize = 3;

/// Units: words of a post in a company.
const MOST_WORDS_OF_ROLE: usize = 6;

/// Units: digits. A number that begins without `+` or `(` has more of them than a day has.
const DIGITS: usize = 7;
const DIGITS_OF_PLAIN: usize = 9;

/// Whether lines are one name at most, and below it only where its owner is reached. Without lines
/// they are.
pub(super) fn is_sender<'l>(lines: impl IntoIterator<Item = &'l str>, is_named: bool) -> bool {
    let mut lines = lines.into_iter();
    (is_named || lines.next().is_none_or(is_name)) && lines.all(is_contact)
}

/// Whether a line can be the name below a letter.
pub(super) fn is_name(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_short = line.chars().nth(LONG).is_none() && words.clone().count() <= MOST_WORDS;
    let is_ended = line.ends_with([':', '?', ';', '!']);
    let is_afterword = ["ps", "p.s"].iter().any(|word| folded(line).starts_with(word));
    is_short
        && !line.is_empty()
        && !is_ended
        && !is_afterword
        && !is_listed(line)
        && !is_begun_by_verb(line)
        && !line.contains(|c: char| c.is_ascii_digit())
        && words.all(|word| word.starts_with(char::is_uppercase))
}

/// Whether a line is only a number, an address or a post, or several of them.
pub(super) fn is_contact(line: &str) -> bool {
    // "+40 21 555 0100" only looks like a bullet.
    if is_listed(line) && !line.starts_with('+') || is_begun_by_verb(line) {
        return false;
    }
    let mut parts = line.split([',', '|', '·']).map(str::trim).filter(|part| !part.is_empty());
    let is_sure = |part| is_phone(part) || is_mail(part) || is_street(part) || is_role(part);
    let has_sure = parts.clone().any(is_sure);
    has_sure && parts.all(|part| is_sure(part) || is_name(part))
}

fn is_begun_by_verb(line: &str) -> bool {
    let word = line.split(|c: char| c.is_whitespace() || matches!(c, ',' | ':' | '-')).next();
    word.is_some_and(|word| VERBS.contains(&folded(word).as_str()))
}

/// What follows "Tel:" or "Mobile"; the text itself without such a word.
fn unlabelled(text: &str) -> &str {
    let Some((label, rest)) = text.split_once([':', ' ']) else { return text };
    match LABELS.contains(&folded(label).trim_end_matches(':')) {
        true => rest.trim_start_matches([':', ' ']),
        false => text,
    }
}

fn is_phone(text: &str) -> bool {
    let number = unlabelled(text);
    let n_digits = number.bytes().filter(u8::is_ascii_digit).count();
    let least = match number.chars().next() {
        Some('+' | '(') => DIGITS,
        // "01/12/2026" is a day.
        Some('0') => DIGITS_OF_PLAIN,
        _ => return false,
    };
    let is_sign = |c: char| c.is_ascii_digit() || matches!(c, '+' | '(' | ')' | ' ' | '-' | '/');
    n_digits >= least && number.matches('/').count() < 2 && number.chars().all(is_sign)
}

fn is_mail(text: &str) -> bool {
    let text = text.strip_prefix("Email:").or_else(|| text.strip_prefix("E-mail:")).unwrap_or(text);
    let address = unlabelled(text.trim());
    let host = address.split_once('@').filter(|(name, _)| !name.is_empty()).map(|(_, host)| host);
    !address.contains(char::is_whitespace) && host.is_some_and(|host| host.contains('.'))
}

/// "12 Mill Road", "Hauptstraße 5": a number and a word for a street among words with capitals.
fn is_street(text: &str) -> bool {
    let mut has_street = false;
    let mut has_number = false;
    text.chars().nth(LONG).is_none()
        && text.split_whitespace().all(|word| {
            let is_number = word.starts_with(|c: char| c.is_ascii_digit());
            let word_folded = folded(word);
            let is_compound = ["strasse", "str"].iter().any(|end| word_folded.ends_with(end));
            has_street |= is_compound || STREETS.contains(&word_folded.as_str());
            has_number |= is_number;
            is_number || word.starts_with(char::is_uppercase)
        })
        && has_street
        && has_number
}

/// "Sales Manager", "Head of Events", "Pop & Sons Ltd".
fn is_role(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_title = |word: &str| word.starts_with(char::is_uppercase);
    let is_written = |word: &&str| is_title(word) || LINKS.contains(word);
    let is_role = |word: &str| ROLES.contains(&folded(word).as_str());
    // "Manager Meeting" is none.
    let has_role = words.last().is_some_and(|word| is_role(word))
        || words.windows(2).any(|pair| is_role(pair[0]) && LINKS[..2].contains(&pair[1]));
    words.len() <= MOST_WORDS_OF_ROLE
        && words.first().is_some_and(|word| is_title(word))
        && words.iter().all(is_written)
        && has_role
}

/// "Of" and "for" come after a post.
const LINKS: &[&str] = &["of", "for", "the", "and", "&"];

const LABELS: &[&str] =
    &["tel", "t", "m", "p", "mob", "mobile", "mobil", "handy", "fax", "telefon"];

#[rustfmt::skip]
const STREETS: &[&str] = &[
    "street", "st", "road", "rd", "avenue", "ave", "lane", "boulevard", "square", "strasse", "str", "platz", "weg",
    "allee", "rue", "quai", "calle", "plaza", "avenida", "strada", "bulevardul", "calea", "șoseaua", "via",
];

#[rustfmt::skip]
const ROLES: &[&str] = &[
    "manager", "director", "engineer", "developer", "designer", "head", "chair", "treasurer", "secretary", "ceo",
    "cto", "cfo", "founder", "consultant", "assistant", "architect", "accountant", "teacher", "professor",
    "ltd", "limited", "inc", "llc", "gmbh", "ag", "srl", "geschäftsführer", "geschäftsführerin", "leiter", "leiterin",
];

/// What a task begins with, in lower case. A name that is also one, such as "Mark", is kept as a task
/// rather than a task lost as a name.
#[rustfmt::skip]
const VERBS: &[&str] = &[
    "add", "agree", "announce", "answer", "apply", "arrange", "ask", "assemble", "attend", "avoid", "back", "bake",
    "bill", "book", "borrow", "bring", "brush", "build", "buy", "call", "cancel", "change", "charge", "check",
    "choose", "clarify", "clean", "clear", "close", "collect", "come", "compare", "complete", "configure", "confirm",
    "contact", "cook", "copy", "create", "cut", "decide", "define", "delete", "deliver", "deploy", "describe",
    "design", "develop", "discuss", "do", "document", "donate", "draft", "draw", "drink", "drive", "drop", "dust",
    "eat", "email", "e-mail", "empty", "enable", "ensure", "evaluate", "exercise", "explain", "explore", "export",
    "extend", "feed", "fetch", "figure", "file", "fill", "finalise", "finalize", "find", "finish", "fit", "fix",
    "follow", "forward", "get", "give", "go", "grab", "grant", "hand", "hang", "help", "hire", "identify",
    "implement", "import", "improve", "include", "inform", "inspect", "install", "introduce", "investigate", "invite",
    "invoice", "iron", "join", "keep", "launch", "lay", "learn", "leave", "lend", "list", "listen", "load", "look",
    "lower", "mail", "make", "mark", "measure", "meet", "mend", "merge", "message", "migrate", "monitor", "mop",
    "move", "mow", "negotiate", "notify", "open", "order", "organise", "organize", "pack", "paint", "park", "pay",
    "phone", "pick", "plan", "plant", "play", "polish", "post", "practice", "practise", "prepare", "print",
    "provide", "publish", "pull", "purchase", "push", "put", "raise", "rake", "reach", "read", "rebuild", "record",
    "recycle", "reduce", "refactor", "refill", "register", "release", "remember", "remind", "remove", "rename",
    "renew", "rent", "repair", "replace", "reply", "report", "request", "research", "reserve", "reset", "resolve",
    "restart", "restore", "return", "review", "revise", "rewrite", "ring", "run", "save", "scan", "schedule",
    "search", "see", "select", "sell", "send", "set", "sew", "share", "ship", "shop", "show", "sign", "skype",
    "solve", "sort", "speak", "start", "stop", "store", "study", "submit", "swap", "sweep", "switch", "take", "talk",
    "teach", "tell", "test", "text", "thank", "throw", "tidy", "train", "transfer", "translate", "try", "turn",
    "update", "upgrade", "upload", "use", "vacuum", "validate", "verify", "visit", "wait", "wake", "walk", "wash",
    "watch", "water", "wipe", "wrap", "write",
    "bring", "bringe", "buch", "buche", "bestell", "bestelle", "bezahl", "bezahle", "frag", "frage", "gib", "hol",
    "hole", "kauf", "kaufe", "koch", "koche", "lies", "mach", "mache", "melde", "miete", "nimm", "plane", "prüf",
    "prüfe", "putz", "putze", "reparier", "repariere", "ruf", "rufe", "schick", "schicke", "schreib", "schreibe",
    "sende", "such", "suche", "triff", "wasch", "wasche", "zahl", "zahle",
    "acheter", "achète", "achetez", "appeler", "appelle", "appelez", "apporter", "chercher", "cherche", "demander",
    "demande", "donner", "donne", "écrire", "écris", "envoyer", "envoie", "envoyez", "faire", "fais", "finir", "laver",
    "lire", "mettre", "nettoyer", "nettoie", "payer", "paie", "prendre", "prends", "préparer", "ranger", "rendre",
    "répondre", "réparer", "répare", "réserver", "réserve", "vendre", "vérifier", "vérifie",
    "arreglar", "arregla", "buscar", "busca", "comprar", "compra", "enviar", "envía", "envia", "escribir", "escribe",
    "hablar", "hacer", "haz", "lavar", "lava", "leer", "limpiar", "limpia", "llamar", "llama", "llevar", "lleva",
    "pagar", "paga", "pedir", "pide", "pintar", "pinta", "preguntar", "preparar", "prepara", "recoger", "recoge",
    "reservar", "reserva", "revisar", "revisa", "traer", "trae", "vender", "vende",
    "adu", "caută", "cauta", "citește", "citeste", "comandă", "comanda", "cumpără", "cumpara", "curăță", "curata",
    "du", "fă", "fa", "găsește", "gaseste", "ia", "întreabă", "intreaba", "plătește", "plateste", "pregătește",
    "pregateste", "pune", "repară", "repara", "rezervă", "rezerva", "scrie", "spală", "spala", "sună", "suna",
    "trimite", "verifică", "verifica", "vinde", "vorbește", "vorbeste", "vopsește", "vopseste",
];

/// Whether a line has the mark of a list.
pub(super) fn is_listed(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let is_numbered = digits > 0 && line[digits..].starts_with(['.', ')']);
    let is_bulleted = line.starts_with(['-', '*', '+', '•', '·', '#', '|', '>']) && line != "--";
    is_numbered || is_bulleted || boxed(line).is_some()
}

pub(super) fn folded(text: &str) -> String {
    let text = text.trim_matches(|c: char| matches!(c, ',' | '!' | '.' | ' ')).to_lowercase();
    text.replace('ß', "ss").replace('ţ', "ț").replace('ş', "ș")
}
