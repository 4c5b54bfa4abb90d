//! Romanian: the days, deadlines and beginnings that lists and diaries are written with.

use std::sync::LazyLock;

use jiff::civil::time;

use super::language::Language;
use super::table::Table;
use super::value::Kind;
use super::words::{Again, Edge, Lead, Means, Relation, Shift, TimeMeans, Unit, Where, Words};
use Where::{Anywhere, Field, WithSign};

/// Romanian.
pub const ROMANIAN: Language = Language(&TABLE);

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::new(&WORDS));

// Rows of words, not one word a line.
#[rustfmt::skip]
static WORDS: Words = Words {
    code: "ro",
    weekdays: [
        &["luni", "lun"],
        &["marți", "marţi", "marti"],
        &["miercuri", "mie"],
        &["joi"],
        &["vineri", "vin"],
        &["sâmbătă", "sambata", "sâm"],
        &["duminică", "duminica", "dum"],
    ],
    weekdays_again: [
        &["lunea"], &["marțea", "marţea", "martea"], &["miercurea"], &["joia"], &["vinerea"],
        &["sâmbăta"], &[],
    ],
    months: [
        &["ianuarie", "ian"],
        &["februarie", "feb"],
        &["martie", "mar"],
        &["aprilie", "apr"],
        &["mai"],
        &["iunie", "iun"],
        &["iulie", "iul"],
        &["august", "aug"],
        &["septembrie", "sep", "sept"],
        &["octombrie", "oct"],
        &["noiembrie", "noi", "nov"],
        &["decembrie", "dec"],
    ],
    ambiguous: &[
        "lun", "luni", "mie", "vin", "dum", "mai", "noi", "mar",
    ],
    numbers: &[
        ("un", 1), ("o", 1), ("una", 1), ("doi", 2), ("două", 2), ("doua", 2), ("trei", 3),
        ("patru", 4), ("cinci", 5), ("șase", 6), ("sase", 6), ("șapte", 7), ("sapte", 7),
        ("opt", 8), ("nouă", 9), ("noua", 9), ("zece", 10), ("unsprezece", 11),
        ("doisprezece", 12),
    ],
    places: &[
        ("prima", 1), ("primul", 1), ("ultima", -1), ("ultimul", -1),
    ],
    units: &[
        ("minut", Unit::Minute), ("minute", Unit::Minute), ("oră", Unit::Hour),
        ("ore", Unit::Hour), ("ora", Unit::Hour), ("zi", Unit::Day), ("zile", Unit::Day),
        ("săptămână", Unit::Week), ("săptămâni", Unit::Week), ("saptamana", Unit::Week),
        ("saptamani", Unit::Week), ("lună", Unit::Month), ("luna", Unit::Month),
        ("luni", Unit::Month), ("trimestru", Unit::Quarter), ("trimestre", Unit::Quarter),
        ("an", Unit::Year), ("ani", Unit::Year),
    ],
    shifts: &[
        ("această", Shift::This), ("aceasta", Shift::This), ("acest", Shift::This),
        ("viitoare", Shift::Coming), ("viitor", Shift::Coming), ("următoare", Shift::Coming),
        ("următorul", Shift::Coming), ("trecută", Shift::Last), ("trecut", Shift::Last),
    ],
    edges: &[
        ("începutul", Edge::Start), ("inceputul", Edge::Start), ("mijlocul", Edge::Middle),
        ("sfârșitul", Edge::End), ("sfarsitul", Edge::End), ("finalul", Edge::End),
    ],
    offsets: &[
        ("azi", 0), ("astăzi", 0), ("mâine", 1), ("maine", 1), ("poimâine", 2), ("poimaine", 2),
        ("ieri", -1), ("alaltăieri", -2),
    ],
    parts: &[
        ("dimineață", time(9, 0, 0, 0)), ("dimineața", time(9, 0, 0, 0)),
        ("prânz", time(12, 0, 0, 0)), ("după-amiază", time(15, 0, 0, 0)),
        ("seara", time(19, 0, 0, 0)), ("seară", time(19, 0, 0, 0)), ("noapte", time(21, 0, 0, 0)),
    ],
    quarters: &["t"],
    weeks: &["săptămâna"],
    days: &[
        ("STAMP", Means::Stamp, Anywhere),
        ("FIGURE", Means::Figure, Anywhere),
        ("DAY . DAY2 . YEAR", Means::Numbers, Anywhere),
        ("DAY .? - FIGURE", Means::DaysOfFigure, Anywhere),
        ("DAY .? – FIGURE", Means::DaysOfFigure, Anywhere),
        ("OFFSET", Means::Offset, Anywhere),
        ("crăciun/craciun YEAR?", Means::Feast(12, 25), WithSign),
        ("ajunul crăciunului/craciunului YEAR?", Means::Feast(12, 24), Anywhere),
        ("black friday YEAR?", Means::Thanksgiving(1), Anywhere),
        ("cyber monday YEAR?", Means::Thanksgiving(4), Anywhere),
        ("revelion YEAR?", Means::Feast(12, 31), WithSign),
        ("vinerea mare YEAR?", Means::OrthodoxEaster(-2), Anywhere),
        ("paște/paste/paști/pasti YEAR?", Means::OrthodoxEaster(0), WithSign),
        ("rusalii YEAR?", Means::OrthodoxEaster(49), WithSign),
        ("peste/în/in N UNIT și/si jumătate/jumatate", Means::AheadAndHalf, Anywhere),
        ("peste/în/in NHALF UNIT", Means::AheadAndHalf, Anywhere),
        ("PLACE WEEKDAY din MONTH YEAR?", Means::NthWeekday, Anywhere),
        ("peste N UNIT", Means::Ahead, Anywhere),
        ("în/in N UNIT", Means::Ahead, Anywhere),
        ("acum N UNIT", Means::Ago, Anywhere),
        ("WEEKDAY SHIFT?", Means::Weekday, Anywhere),
        ("WEEKDAYS SHIFT", Means::Weekday, Anywhere),
        ("acest/în/in weekend", Means::Unit, Anywhere),
        ("DAY MONTH YEAR?", Means::DayMonth, Anywhere),
        ("DAY MONTH ,? BAREYEAR", Means::DayMonth, Anywhere),
        ("DAY - DAY2 MONTH YEAR?", Means::DaysOfMonth, Anywhere),
        ("DAY și/si DAY2 MONTH YEAR?", Means::DaysOfMonth, Anywhere),
        ("EDGE lunii", Means::EndOf(Unit::Month), Anywhere),
        ("EDGE anului", Means::EndOf(Unit::Year), Anywhere),
        ("EDGE lui? MONTH YEAR?", Means::Edge, Anywhere),
        ("MONTH YEAR", Means::Month, Anywhere),
        ("MONTH", Means::Month, WithSign),
        ("YEAR", Means::Year, WithSign),
    ],
    relations: &[
        ("cu? N UNIT înainte/inainte de", Relation::Before),
        ("ziua dinainte/dinaintea de?", Relation::Before),
        ("la? N UNIT după/dupa", Relation::After),
        ("ziua de după/dupa", Relation::After),
    ],
    times: &[
        ("HOUR", TimeMeans::Clock, WithSign),
        ("ora HOUR", TimeMeans::Clock, WithSign),
        ("la CLOCK", TimeMeans::Clock, WithSign),
        ("la HOUR", TimeMeans::Clock, WithSign),
        ("HOUR PART", TimeMeans::Clock, WithSign),
        ("la HOUR PART", TimeMeans::Clock, Anywhere),
        ("ora HOUR PART", TimeMeans::Clock, Anywhere),
        ("CLOCK", TimeMeans::Clock, Anywhere),
        ("ora CLOCK", TimeMeans::Clock, Anywhere),
        ("PART", TimeMeans::Part, WithSign),
        ("miezul nopții", TimeMeans::Midnight, Anywhere),
    ],
    recurrences: &[
        ("de N ori pe UNIT", Again::Times(0), Anywhere),
        // Before the units: "luni" is Monday here, and the months only after a number.
        ("în/in fiecare WEEKDAY", Again::Weekdays, Anywhere),
        ("în/in fiecare UNIT", Again::Interval, Anywhere),
        ("la fiecare N UNIT", Again::Interval, Anywhere),
        ("o dată pe UNIT", Again::Interval, Anywhere),
        ("în/in? PLACE WEEKDAY din fiecare lună/luna", Again::MonthWeekday, Anywhere),
        ("PLACE WEEKDAY a/al fiecărei/fiecarei luni", Again::MonthWeekday, Anywhere),
        ("WEEKDAYS", Again::Weekdays, Field),
        ("pe? DAYS ale/a/al fiecărei/fiecarei luni", Again::MonthDay, Anywhere),
        ("pe? DAYS în/in fiecare lună/luna", Again::MonthDay, Anywhere),
        ("în/in fiecare lună/luna pe DAYS", Again::MonthDay, Anywhere),
        ("o dată la N UNIT", Again::Interval, Anywhere),
    ],
    leads: &[
        ("între", Lead::On),
        ("până", Lead::Is(Kind::Due)),
        ("până la", Lead::Is(Kind::Due)),
        ("până pe", Lead::Is(Kind::Due)),
        ("până în", Lead::Is(Kind::Due)),
        ("nu mai târziu/tarziu de", Lead::Is(Kind::Due)),
        ("până cel târziu", Lead::Is(Kind::Due)),
        ("pana", Lead::Is(Kind::Due)),
        ("pana la", Lead::Is(Kind::Due)),
        ("pana pe", Lead::Is(Kind::Due)),
        ("pana in", Lead::Is(Kind::Due)),
        ("cel târziu", Lead::Is(Kind::Due)),
        ("cel tarziu", Lead::Is(Kind::Due)),
        ("cel târziu pe/până", Lead::Is(Kind::Due)),
        ("termen", Lead::Is(Kind::Due)),
        ("termen :", Lead::Is(Kind::Due)),
        ("termen limită/limita :?", Lead::Is(Kind::Due)),
        ("scadent", Lead::Is(Kind::Due)),
        ("scadent la/pe", Lead::Is(Kind::Due)),
        ("scadență :", Lead::Is(Kind::Due)),
        ("scadenta :", Lead::Is(Kind::Due)),
        ("deadline :?", Lead::Is(Kind::Due)),
        ("expiră pe/la", Lead::Is(Kind::Due)),
        ("expira pe/la", Lead::Is(Kind::Due)),
        ("înainte de", Lead::Before),
        ("inainte de", Lead::Before),
        ("de la", Lead::Is(Kind::Start)),
        ("din", Lead::Is(Kind::Start)),
        ("începând cu", Lead::Is(Kind::Start)),
        ("incepand cu", Lead::Is(Kind::Start)),
        ("de pe", Lead::Is(Kind::Start)),
        ("din data de", Lead::Since),
        ("pe", Lead::On),
        ("la", Lead::On),
        ("în", Lead::On),
        ("in", Lead::On),
        ("de", Lead::On),
        ("data de", Lead::On),
        ("spre", Lead::On),
    ],
    tails: &[
        ("cel târziu", Kind::Due), ("cel tarziu", Kind::Due),
    ],
    at: &[
        "la", "ora", "pe",
    ],
    through: &[
        "până", "pana",
    ],
    between: &[
        "între",
    ],
    between_and: &[
        "și", "si", "sau",
    ],
    function_words: &[
        "a", "ai", "ale", "am", "ar", "are", "au", "ca", "că", "care", "ce", "cu", "da", "dacă",
        "de", "din", "după", "este", "eu", "fără", "în", "in", "îl", "îmi", "la", "lui", "mai",
        "ne", "noi", "nu", "o", "pe", "pentru", "prin", "să", "sau", "se", "și", "si", "sunt",
        "un", "va",
    ],
    papers: &[
        "factura", "factură", "facturi", "facturile", "oferta", "ofertă", "comanda", "comandă", "contract",
        "contractul", "dosar", "dosarul", "lege", "legea", "decret", "regulament", "directiva", "hotărâre",
        "hotărârea", "ordin", "ordinul", "decizie", "decizia", "chitanță", "cerere", "nr", "numărul",
    ],
    references: &[
        "anexa", "articol", "articolul", "capitol", "capitolul", "exercițiul", "lecția", "paragraful", "pagina", "pagini", "pas", "punct", "secțiunea", "versiunea", "vezi",
        "nr", "număr", "tabel", "figura", "linia", "regula", "sala", "tel",
    ],
    counters: &[
        "cm", "eur", "euro", "g", "kg", "km", "l", "lei", "litri", "m", "min", "minute", "ml",
        "mm", "ore", "ori", "persoane", "bucăți", "buc", "zile", "săptămâni", "ani", "ron",
    ],
    past: &[
        "era", "erau", "fost", "avea", "trimis", "primit", "sunat", "plătit",
    ],
    moved: &[
        "amânat", "amânată", "mutat", "mutată", "prelungit", "prelungită", "devansat", "devansată",
        "planificat", "planificată", "programat", "programată",
    ],
    over: &[
        "ratat", "expirat", "depășit",
    ],
    lasting: &["până", "pana"],
    lasts: &[
        "e", "este", "sunt", "ajunge", "ajung", "ține", "tine", "țin", "durează", "dureaza", "rămâne", "ramane",
        "rămân", "raman",
    ],
    states: &[
        "deschis", "deschisă", "deschisa", "deschise", "închis", "închisă", "inchis", "inchisa",
        "bun", "bună", "buna", "plecat", "plecată", "plecata", "concediu", "vacanță", "vacanta",
        "bolnav", "bolnavă", "disponibil", "liber", "liberă", "ok",
    ],
    obliges: &["trebuie", "musai", "obligatoriu", "scadent", "scadentă", "valabil", "valabilă", "valabila"],
    day_articles: &["pe"],
    negations: &["nu", "niciodată", "niciodata"],
    forget: &["uita", "uitați", "uitati", "uitat", "rata", "ratați"],
    offers: &["oferta", "înscrierea", "înscrierile", "inscrierile", "candidaturile", "aplicațiile"],
    opens: &["deschis", "deschisă", "deschisa", "deschise", "disponibil"],
    articles: &[
        "un", "o", "meu", "mea", "tău", "lui", "ei", "noi", "voi", "eu", "tu", "el", "ea",
    ],
    streets: &[
        "strada", "str", "bulevardul", "bd", "piața", "piata", "calea", "șoseaua", "cartierul", "parcul",
    ],
    street_links: &[],
    ..Words::NONE
};
