//! French: the days, deadlines and beginnings that lists and diaries are written with.

use std::sync::LazyLock;

use jiff::civil::time;

use super::language::Language;
use super::table::Table;
use super::value::Kind;
use super::words::{Again, Edge, Lead, Means, Relation, Shift, TimeMeans, Unit, Where, Words};
use Where::{Anywhere, Field, WithSign};

/// French.
pub const FRENCH: Language = Language(&TABLE);

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::new(&WORDS));

// Rows of words, not one word a line.
#[rustfmt::skip]
static WORDS: Words = Words {
    code: "fr",
    weekdays: [
        &["lundi", "lun"],
        &["mardi", "mar"],
        &["mercredi", "mer"],
        &["jeudi", "jeu"],
        &["vendredi", "ven"],
        &["samedi", "sam"],
        &["dimanche", "dim"],
    ],
    weekdays_again: [
        &["lundis"], &["mardis"], &["mercredis"], &["jeudis"], &["vendredis"], &["samedis"],
        &["dimanches"],
    ],
    months: [
        &["janvier", "janv", "jan"],
        &["février", "fevrier", "févr", "fév", "fev"],
        &["mars"],
        &["avril", "avr"],
        &["mai"],
        &["juin"],
        &["juillet", "juil"],
        &["août", "aout"],
        &["septembre", "sept", "sep"],
        &["octobre", "oct"],
        &["novembre", "nov"],
        &["décembre", "decembre", "déc", "dec"],
    ],
    ambiguous: &[
        "lun", "mar", "mer", "jeu", "ven", "sam", "dim", "mars", "mai", "sept",
    ],
    numbers: &[
        ("un", 1), ("une", 1), ("deux", 2), ("trois", 3), ("quatre", 4), ("cinq", 5), ("six", 6),
        ("sept", 7), ("huit", 8), ("neuf", 9), ("dix", 10), ("onze", 11), ("douze", 12),
        ("quinze", 15),
    ],
    places: &[
        ("premier", 1), ("première", 1), ("second", 2), ("deuxième", 2), ("troisième", 3), ("quatrième", 4),
        ("dernier", -1), ("dernière", -1),
    ],
    ordinal_endings: &["er", "ère"],
    units: &[
        ("minute", Unit::Minute), ("minutes", Unit::Minute), ("heure", Unit::Hour),
        ("heures", Unit::Hour), ("jour", Unit::Day), ("jours", Unit::Day), ("semaine", Unit::Week),
        ("semaines", Unit::Week), ("mois", Unit::Month), ("trimestre", Unit::Quarter),
        ("trimestres", Unit::Quarter), ("week-end", Unit::Weekend),
        ("weekend", Unit::Weekend), ("week-ends", Unit::Weekend), ("an", Unit::Year), ("ans", Unit::Year),
        ("année", Unit::Year), ("années", Unit::Year),
    ],
    shifts: &[
        ("ce", Shift::This), ("cette", Shift::This), ("prochain", Shift::Coming),
        ("prochaine", Shift::Coming), ("dernier", Shift::Last), ("dernière", Shift::Last), ("passé", Shift::Last),
    ],
    edges: &[
        ("début", Edge::Early), ("mi", Edge::Middle), ("fin", Edge::End),
    ],
    offsets: &[
        ("aujourd'hui", 0), ("demain", 1), ("après-demain", 2), ("hier", -1), ("avant-hier", -2),
    ],
    parts: &[
        ("matin", time(9, 0, 0, 0)), ("midi", time(12, 0, 0, 0)), ("soir", time(19, 0, 0, 0)),
        ("nuit", time(21, 0, 0, 0)), ("matinée", time(9, 0, 0, 0)), ("après-midi", time(15, 0, 0, 0)),
        ("soirée", time(19, 0, 0, 0)),
    ],
    hour_endings: &["h"],
    quarters: &["t"],
    half_years: &["s"],
    weeks: &["s"],
    days: &[
        ("STAMP", Means::Stamp, Anywhere),
        ("FIGURE", Means::Figure, Anywhere),
        ("DAY . DAY2 . YEAR", Means::Numbers, Anywhere),
        ("OFFSET", Means::Offset, Anywhere),
        ("black friday YEAR?", Means::Thanksgiving(1), Anywhere),
        ("cyber monday YEAR?", Means::Thanksgiving(4), Anywhere),
        ("la? saint sylvestre YEAR?", Means::Feast(12, 31), Anywhere),
        ("noël/noel YEAR?", Means::Feast(12, 25), WithSign),
        ("vendredi saint YEAR?", Means::Easter(-2), Anywhere),
        ("pâques/paques YEAR?", Means::Easter(0), WithSign),
        ("lundi de pâques/paques YEAR?", Means::Easter(1), Anywhere),
        ("ascension YEAR?", Means::Easter(39), WithSign),
        ("pentecôte YEAR?", Means::Easter(49), WithSign),
        ("lundi de pentecôte YEAR?", Means::Easter(50), Anywhere),
        ("dans N UNIT", Means::Ahead, Anywhere),
        ("dans N UNIT et demi/demie", Means::AheadAndHalf, Anywhere),
        ("dans NHALF UNIT", Means::AheadAndHalf, Anywhere),
        ("WEEKDAY en huit", Means::WeekdayAfterWeeks, Anywhere),
        ("le? PLACE WEEKDAY de MONTH YEAR?", Means::NthWeekday, Anywhere),
        ("sous N UNIT", Means::Within, Anywhere),
        ("d'ici N UNIT", Means::Within, Anywhere),
        ("il y a N UNIT", Means::Ago, Anywhere),
        ("ce? WEEKDAY SHIFT?", Means::Weekday, Anywhere),
        ("DAY MONTH YEAR?", Means::DayMonth, Anywhere),
        ("DAY MONTH ,? BAREYEAR", Means::DayMonth, Anywhere),
        ("DAYTH MONTH YEAR?", Means::DayMonth, Anywhere),
        ("DAY au/- DAY2 MONTH YEAR?", Means::DaysOfMonth, Anywhere),
        ("DAY et le? DAY2 MONTH YEAR?", Means::DaysOfMonth, Anywhere),
        ("DAY du mois SHIFT", Means::DayOfMonth, Anywhere),
        ("HALFYEAR de? YEAR", Means::HalfYear, Anywhere),
        ("PLACE semestre de? YEAR", Means::NthHalf, Anywhere),
        ("DAYTH du mois SHIFT", Means::DayOfMonth, Anywhere),
        ("EDGE MONTH YEAR?", Means::Edge, Anywhere),
        ("la? EDGE du/de mois", Means::EndOf(Unit::Month), Anywhere),
        ("la? EDGE de l'année", Means::EndOf(Unit::Year), Anywhere),
        ("MONTH YEAR", Means::Month, Anywhere),
        ("MONTH", Means::Month, WithSign),
        ("la? semaine SHIFT", Means::Unit, Field),
        ("SHIFT week-end/weekend", Means::Unit, Anywhere),
        ("le? week-end/weekend SHIFT", Means::Unit, Anywhere),
        ("le week-end/weekend", Means::Unit, WithSign),
        ("YEAR", Means::Year, WithSign),
    ],
    relations: &[
        ("N UNIT avant le/la?", Relation::Before),
        ("la? veille de/du", Relation::Before),
        ("N UNIT après le/la?", Relation::After),
        ("le? lendemain de/du", Relation::After),
    ],
    times: &[
        ("HOUR", TimeMeans::Clock, WithSign),
        ("CLOCK", TimeMeans::Clock, Anywhere),
        ("ANYHOUR h/heures", TimeMeans::Clock, WithSign),
        ("ANYHOUR h/heures du PART", TimeMeans::Clock, Anywhere),
        ("ANYHOUR h/heures et demie", TimeMeans::PastBy(30), Anywhere),
        ("ANYHOUR h/heures et quart", TimeMeans::PastBy(15), Anywhere),
        ("PART", TimeMeans::Part, WithSign),
        ("minuit", TimeMeans::Midnight, Anywhere),
    ],
    recurrences: &[
        ("N fois par UNIT", Again::Times(0), Anywhere),
        ("chaque UNIT", Again::Interval, Anywhere),
        ("tous/toutes les UNIT", Again::Interval, Anywhere),
        ("tous/toutes les N UNIT", Again::Interval, Anywhere),
        ("chaque WEEKDAY", Again::Weekdays, Anywhere),
        ("tous les WEEKDAYS", Again::Weekdays, Anywhere),
        ("un WEEKDAY sur deux", Again::OtherWeekday, Anywhere),
        ("un/une UNIT sur deux", Again::EveryOther, Anywhere),
        ("une fois par UNIT", Again::Interval, Anywhere),
        ("chaque PLACE WEEKDAY du mois", Again::MonthWeekday, Anywhere),
        ("le? PLACE WEEKDAY de chaque mois", Again::MonthWeekday, Anywhere),
        ("le? DAYS de chaque mois", Again::MonthDay, Anywhere),
        ("chaque mois le DAYS", Again::MonthDay, Anywhere),
        ("tous les DAYS du mois", Again::MonthDay, Anywhere),
        ("tous les mois le DAYS", Again::MonthDay, Anywhere),
    ],
    leads: &[
        ("entre le?", Lead::On),
        ("d'ici", Lead::Is(Kind::Due)),
        ("d'ici le/au", Lead::Is(Kind::Due)),
        ("d'ici à", Lead::Is(Kind::Due)),
        ("jusqu'au", Lead::Is(Kind::Due)),
        ("jusqu'à", Lead::Is(Kind::Due)),
        ("pas plus tard que", Lead::Is(Kind::Due)),
        ("pas plus tard que le", Lead::Is(Kind::Due)),
        ("au plus tard", Lead::Is(Kind::Due)),
        ("au plus tard le", Lead::Is(Kind::Due)),
        ("pour le", Lead::Is(Kind::Due)),
        ("échéance", Lead::Is(Kind::Due)),
        ("échéance :", Lead::Is(Kind::Due)),
        ("échéance le/au", Lead::Is(Kind::Due)),
        ("date limite :?", Lead::Is(Kind::Due)),
        ("deadline :?", Lead::Is(Kind::Due)),
        ("à rendre le", Lead::Is(Kind::Due)),
        ("à rendre pour le", Lead::Is(Kind::Due)),
        ("limite :", Lead::Is(Kind::Due)),
        ("avant", Lead::Before),
        ("avant le", Lead::Before),
        ("à partir du", Lead::Is(Kind::Start)),
        ("dès le", Lead::Is(Kind::Start)),
        ("du", Lead::Is(Kind::Start)),
        ("début :", Lead::Is(Kind::Start)),
        ("depuis le", Lead::Since),
        ("depuis", Lead::Since),
        ("le", Lead::On),
        ("en", Lead::On),
        ("à", Lead::On),
        ("au", Lead::On),
        ("vers", Lead::On),
    ],
    tails: &[
        ("au plus tard", Kind::Due),
    ],
    at: &[
        "à", "vers",
    ],
    through: &[
        "au", "à",
    ],
    between: &[
        "entre",
    ],
    between_and: &[
        "et", "ou",
    ],
    function_words: &[
        "à", "après", "au", "aux", "avant", "avec", "car", "ce", "chez", "dans", "de", "des",
        "donc", "du", "elle", "en", "est", "et", "il", "je", "la", "le", "les", "mais", "ne",
        "nous", "on", "ou", "où", "par", "pas", "pour", "que", "qui", "sans", "se", "si", "sur",
        "un", "une", "vous",
    ],
    papers: &[
        "facture", "factures", "devis", "commande", "contrat", "dossier", "arrêté", "loi", "décret",
        "règlement", "directive", "décision", "jugement", "reçu", "bon", "ticket", "demande",
        "attestation", "no", "nº", "n°", "numéro",
    ],
    references: &[
        "alinéa", "annexe", "article", "chapitre", "édition", "exercice", "leçon", "paragraphe", "page", "pages", "partie", "point", "section", "étape", "version",
        "voir", "numéro", "no", "n°", "tableau", "figure", "ligne", "règle", "salle", "tél",
    ],
    counters: &[
        "cm", "eur", "euro", "euros", "fois", "g", "gb", "heures", "h", "jours", "kg", "km", "l",
        "litres", "m", "min", "minutes", "ml", "mm", "mois", "personnes", "pièces", "semaines",
        "ans",
    ],
    past: &[
        "était", "étaient", "avait", "avaient", "envoyé", "reçu", "rencontré", "appelé", "payé",
        "fait",
    ],
    moved: &[
        "reporté", "reportée", "repoussé", "repoussée", "déplacé", "déplacée", "prolongé",
        "prolongée", "avancé", "avancée", "prévu", "prévue", "fixé", "fixée",
    ],
    over: &[
        "manqué", "expiré", "dépassé",
    ],
    lasting: &["jusqu'au", "jusqu'à"],
    lasts: &["est", "sont", "reste", "restent", "dure", "durent", "suffit", "suffisent", "vaut", "tient", "court"],
    states: &[
        "ouvert", "ouverte", "ouvertes", "fermé", "fermée", "absent", "absente", "congé", "vacances",
        "malade", "disponible", "suffisant", "complet", "complète", "libre", "réservé", "réservée",
    ],
    obliges: &["doit", "doivent", "faut", "à", "dû", "due", "valable", "valide"],
    day_articles: &["le"],
    negations: &["pas", "jamais", "ne", "aucun", "aucune"],
    forget: &["oublier", "oublie", "oubliez", "manquer", "manque", "rater", "oublié", "oubliée"],
    offers: &["offre", "inscription", "inscriptions", "candidatures", "appel"],
    opens: &["ouvert", "ouverte", "ouvertes", "disponible"],
    articles: &[
        "le", "la", "les", "un", "une", "mon", "ton", "son", "notre", "votre", "leur", "je", "tu",
        "il", "elle", "nous", "vous",
    ],
    streets: &[
        "rue", "place", "avenue", "boulevard", "bd", "av", "quai", "pont", "square", "cours", "allée", "impasse",
    ],
    street_links: &["du"],
    ..Words::NONE
};
