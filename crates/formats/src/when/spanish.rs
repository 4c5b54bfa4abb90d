//! Spanish: the days, deadlines and beginnings that lists and diaries are written with.

use std::sync::LazyLock;

use jiff::civil::time;

use super::language::Language;
use super::table::Table;
use super::value::Kind;
use super::words::{Again, Edge, Lead, Means, Relation, Shift, TimeMeans, Unit, Where, Words};
use Where::{Anywhere, Field, WithSign};

/// Spanish.
pub const SPANISH: Language = Language(&TABLE);

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::new(&WORDS));

// Rows of words, not one word a line.
#[rustfmt::skip]
static WORDS: Words = Words {
    code: "es",
    weekdays: [
        &["lunes", "lun"],
        &["martes", "mar"],
        &["miércoles", "miercoles", "mié"],
        &["jueves", "jue"],
        &["viernes", "vie"],
        &["sábado", "sabado", "sáb"],
        &["domingo", "dom"],
    ],
    weekdays_again: [&[], &[], &[], &[], &[], &["sábados", "sabados"], &["domingos"]],
    months: [
        &["enero", "ene"],
        &["febrero", "feb"],
        &["marzo", "mar"],
        &["abril", "abr"],
        &["mayo", "may"],
        &["junio", "jun"],
        &["julio", "jul"],
        &["agosto", "ago"],
        &["septiembre", "setiembre", "sep", "sept"],
        &["octubre", "oct"],
        &["noviembre", "nov"],
        &["diciembre", "dic"],
    ],
    ambiguous: &[
        "lun", "mar", "jue", "vie", "dom", "ene", "may",
    ],
    numbers: &[
        ("un", 1), ("una", 1), ("dos", 2), ("tres", 3), ("cuatro", 4), ("cinco", 5), ("seis", 6),
        ("siete", 7), ("ocho", 8), ("nueve", 9), ("diez", 10), ("once", 11), ("doce", 12),
        ("quince", 15),
    ],
    places: &[
        ("primer", 1), ("primero", 1), ("primera", 1), ("segundo", 2), ("segunda", 2),
        ("tercer", 3), ("tercera", 3), ("cuarto", 4), ("cuarta", 4), ("último", -1),
        ("última", -1), ("ultimo", -1),
    ],
    ordinal_endings: &["º", "ª"],
    units: &[
        ("minuto", Unit::Minute), ("minutos", Unit::Minute), ("hora", Unit::Hour),
        ("horas", Unit::Hour), ("día", Unit::Day), ("días", Unit::Day), ("dia", Unit::Day),
        ("dias", Unit::Day), ("semana", Unit::Week), ("semanas", Unit::Week), ("mes", Unit::Month),
        ("meses", Unit::Month), ("trimestre", Unit::Quarter), ("trimestres", Unit::Quarter),
        ("año", Unit::Year), ("años", Unit::Year),
    ],
    shifts: &[
        ("este", Shift::This), ("esta", Shift::This), ("próximo", Shift::Coming),
        ("próxima", Shift::Coming), ("proximo", Shift::Coming), ("proxima", Shift::Coming),
        ("pasado", Shift::Last), ("pasada", Shift::Last), ("viene", Shift::Coming),
    ],
    edges: &[
        ("principios", Edge::Early), ("mediados", Edge::Middle), ("finales", Edge::End),
        ("fin", Edge::End), ("final", Edge::End),
    ],
    offsets: &[
        ("hoy", 0), ("mañana", 1), ("ayer", -1), ("anteayer", -2),
    ],
    parts: &[
        ("mañana", time(9, 0, 0, 0)), ("mediodía", time(12, 0, 0, 0)),
        ("tarde", time(15, 0, 0, 0)), ("noche", time(21, 0, 0, 0)),
    ],
    hour_endings: &["h"],
    quarters: &["t"],
    half_years: &["s"],
    weeks: &["semana"],
    days: &[
        ("STAMP", Means::Stamp, Anywhere),
        ("FIGURE", Means::Figure, Anywhere),
        ("DAY . DAY2 . YEAR", Means::Numbers, Anywhere),
        ("DAY .? - FIGURE", Means::DaysOfFigure, Anywhere),
        ("DAY .? – FIGURE", Means::DaysOfFigure, Anywhere),
        ("OFFSET", Means::Offset, Anywhere),
        ("navidad YEAR?", Means::Feast(12, 25), WithSign),
        ("nochebuena YEAR?", Means::Feast(12, 24), WithSign),
        ("black friday YEAR?", Means::Thanksgiving(1), Anywhere),
        ("cyber monday YEAR?", Means::Thanksgiving(4), Anywhere),
        ("nochevieja YEAR?", Means::Feast(12, 31), WithSign),
        ("pasado mañana", Means::Days(2), Anywhere),
        ("viernes santo YEAR?", Means::Easter(-2), Anywhere),
        ("domingo de pascua YEAR?", Means::Easter(0), Anywhere),
        ("lunes de pascua YEAR?", Means::Easter(1), Anywhere),
        ("en N UNIT", Means::Ahead, Anywhere),
        ("en/dentro de? N UNIT y medio/media", Means::AheadAndHalf, Anywhere),
        ("en/dentro de? NHALF UNIT", Means::AheadAndHalf, Anywhere),
        ("el? PLACE WEEKDAY de MONTH de? YEAR?", Means::NthWeekday, Anywhere),
        ("dentro de N UNIT", Means::Ahead, Anywhere),
        ("hace N UNIT", Means::Ago, Anywhere),
        ("SHIFT? WEEKDAY", Means::Weekday, Anywhere),
        ("WEEKDAY SHIFT", Means::Weekday, Anywhere),
        ("WEEKDAY que viene", Means::Weekday, Anywhere),
        ("la? SHIFT semana", Means::Unit, Field),
        ("SHIFT fin de semana", Means::Unit, Anywhere),
        ("el fin de semana", Means::Unit, WithSign),
        ("DAY de? MONTH de/del? YEAR?", Means::DayMonth, Anywhere),
        ("DAY de? MONTH de/del? ,? BAREYEAR", Means::DayMonth, Anywhere),
        ("DAY al/- DAY2 de? MONTH de? YEAR?", Means::DaysOfMonth, Anywhere),
        ("DAY y el? DAY2 de? MONTH de? YEAR?", Means::DaysOfMonth, Anywhere),
        ("DAY del SHIFT mes", Means::DayOfMonth, Anywhere),
        ("HALFYEAR de? YEAR", Means::HalfYear, Anywhere),
        ("PLACE semestre de? YEAR", Means::NthHalf, Anywhere),
        ("a? EDGE de MONTH de? YEAR?", Means::Edge, Anywhere),
        ("a? EDGE de mes", Means::EndOf(Unit::Month), Anywhere),
        ("a? EDGE de año", Means::EndOf(Unit::Year), Anywhere),
        ("MONTH de? YEAR", Means::Month, Anywhere),
        ("MONTH", Means::Month, WithSign),
        ("YEAR", Means::Year, WithSign),
    ],
    relations: &[
        ("N UNIT antes de/del", Relation::Before),
        ("la víspera de/del", Relation::Before),
        ("el? día antes de/del", Relation::Before),
        ("N UNIT después de/del", Relation::After),
        ("el? día después de/del", Relation::After),
    ],
    times: &[
        ("HOUR", TimeMeans::Clock, WithSign),
        ("HOUR h", TimeMeans::Clock, WithSign),
        ("la/las ANYHOUR h?", TimeMeans::Clock, WithSign),
        ("la/las ANYHOUR de la PART", TimeMeans::Clock, Anywhere),
        ("la/las CLOCK de la PART", TimeMeans::Clock, Anywhere),
        ("la/las ANYHOUR y media", TimeMeans::PastBy(30), Anywhere),
        ("la/las ANYHOUR y cuarto", TimeMeans::PastBy(15), Anywhere),
        ("la/las ANYHOUR menos cuarto", TimeMeans::PastBy(-15), Anywhere),
        ("la/las CLOCK h?", TimeMeans::Clock, WithSign),
        ("por/de la PART", TimeMeans::Part, WithSign),
        ("CLOCK h?", TimeMeans::Clock, Anywhere),
        ("PART", TimeMeans::Part, WithSign),
        ("medianoche", TimeMeans::Midnight, Anywhere),
    ],
    recurrences: &[
        ("N veces por/al UNIT", Again::Times(0), Anywhere),
        ("N veces a la UNIT", Again::Times(0), Anywhere),
        ("cada UNIT", Again::Interval, Anywhere),
        ("cada N UNIT", Again::Interval, Anywhere),
        ("cada WEEKDAY", Again::Weekdays, Anywhere),
        ("todos los WEEKDAY", Again::Weekdays, Anywhere),
        ("todos los WEEKDAYS", Again::Weekdays, Anywhere),
        ("todos/todas los/las UNIT", Again::Interval, Anywhere),
        ("los WEEKDAY", Again::Weekdays, Anywhere),
        ("los WEEKDAYS", Again::Weekdays, Anywhere),
        ("el? PLACE WEEKDAY de cada mes", Again::MonthWeekday, Anywhere),
        ("cada PLACE WEEKDAY del/de mes", Again::MonthWeekday, Anywhere),
        ("una vez por/al UNIT", Again::Interval, Anywhere),
        ("el? DAYS de cada mes", Again::MonthDay, Anywhere),
        ("los? días? DAYS de cada mes", Again::MonthDay, Anywhere),
        ("cada mes el DAYS", Again::MonthDay, Anywhere),
        ("todos los meses el DAYS", Again::MonthDay, Anywhere),
    ],
    leads: &[
        ("entre el?", Lead::On),
        ("hasta", Lead::Is(Kind::Due)),
        ("hasta el", Lead::Is(Kind::Due)),
        ("para el", Lead::Is(Kind::Due)),
        ("a más tardar", Lead::Is(Kind::Due)),
        ("a más tardar el", Lead::Is(Kind::Due)),
        ("vence", Lead::Is(Kind::Due)),
        ("vence el", Lead::Is(Kind::Due)),
        ("vence :", Lead::Is(Kind::Due)),
        ("vencimiento :?", Lead::Is(Kind::Due)),
        ("fecha límite :?", Lead::Is(Kind::Due)),
        ("plazo :", Lead::Is(Kind::Due)),
        ("plazo hasta el", Lead::Is(Kind::Due)),
        ("entrega :", Lead::Is(Kind::Due)),
        ("entrega el", Lead::Is(Kind::Due)),
        ("no más tarde del", Lead::Is(Kind::Due)),
        ("antes del", Lead::Before),
        ("antes de", Lead::Before),
        ("antes de el", Lead::Before),
        ("desde el", Lead::Is(Kind::Start)),
        ("desde", Lead::Is(Kind::Start)),
        ("a partir del", Lead::Is(Kind::Start)),
        ("inicio :", Lead::Is(Kind::Start)),
        ("del", Lead::Is(Kind::Start)),
        ("desde hace", Lead::Since),
        ("el", Lead::On),
        ("en", Lead::On),
        ("a", Lead::On),
        ("al", Lead::On),
        ("sobre", Lead::On),
    ],
    tails: &[
        ("a más tardar", Kind::Due), ("como máximo", Kind::Due),
    ],
    at: &[
        "a", "sobre",
    ],
    through: &[
        "al", "hasta",
    ],
    between: &[
        "entre",
    ],
    between_and: &[
        "y", "o",
    ],
    function_words: &[
        "a", "al", "antes", "como", "con", "de", "del", "desde", "donde", "el", "ella", "en", "es",
        "esta", "hasta", "la", "las", "lo", "los", "más", "mi", "no", "nos", "o", "para", "pero",
        "por", "que", "se", "si", "sin", "sobre", "su", "un", "una", "y", "ya",
    ],
    papers: &[
        "factura", "facturas", "presupuesto", "pedido", "contrato", "expediente", "ley", "decreto",
        "reglamento", "directiva", "orden", "resolución", "sentencia", "recibo", "solicitud", "ticket",
        "no", "nº", "número", "núm",
    ],
    references: &[
        "anexo", "apartado", "artículo", "capítulo", "ejercicio", "inciso", "lección", "párrafo", "página", "páginas", "parte", "paso", "punto", "sección",
        "versión", "ver", "número", "núm", "tabla", "figura", "línea", "regla", "sala", "tel",
    ],
    counters: &[
        "cm", "eur", "euro", "euros", "g", "horas", "h", "días", "kg", "km", "l", "litros", "m",
        "min", "minutos", "ml", "mm", "meses", "personas", "piezas", "semanas", "veces", "años",
    ],
    past: &[
        "era", "eran", "fue", "fueron", "tenía", "envió", "recibió", "llamó", "pagó",
    ],
    moved: &[
        "aplazado", "aplazada", "pospuesto", "pospuesta", "movido", "movida", "prorrogado",
        "prorrogada", "adelantado", "adelantada", "previsto", "prevista", "fijado", "fijada",
    ],
    over: &[
        "perdido", "vencido", "caducado",
    ],
    lasting: &["hasta"],
    lasts: &[
        "está", "están", "esta", "estan", "dura", "duran", "sigue", "siguen", "queda", "quedan",
        "alcanza", "llega",
    ],
    states: &[
        "abierto", "abierta", "abiertas", "cerrado", "cerrada", "ausente",
        "vacaciones", "disponible", "enfermo", "enferma", "libre", "lleno", "llena", "reservado", "reservada",
    ],
    obliges: &["debe", "deben", "hay", "tiene", "tienen", "por", "válido", "válida", "valido", "valida"],
    day_articles: &["el"],
    negations: &["no", "nunca", "ningún", "ninguna"],
    forget: &["olvides", "olvide", "olvidar", "olvidéis", "faltar", "olvidado", "olvidarse"],
    offers: &["oferta", "inscripción", "inscripciones", "convocatoria", "solicitudes", "matrícula", "plazo"],
    opens: &["abierto", "abierta", "abiertas", "disponible"],
    articles: &[
        "el", "la", "los", "las", "un", "una", "mi", "tu", "su", "nuestro", "yo", "él", "ella",
        "nosotros",
    ],
    streets: &[
        "calle", "c", "plaza", "pza", "avenida", "avda", "av", "paseo", "barrio", "parque", "puente",
    ],
    street_links: &["del", "de"],
    ..Words::NONE
};
