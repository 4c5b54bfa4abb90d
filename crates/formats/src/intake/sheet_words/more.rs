//! The words of languages that are no more than a few rows.

use dormouse_types::task::{Priority, Status};

use super::table::{NONE, SheetWords};
use crate::reading::Column;

use Column::{Category, Done, Due, Items, Label, Note, Start, Title};
use Priority::{P0, P1, P2, P3};
use Status::{Blocked, InProgress, OnHold, Open, Rejected};

// Rows of words, not one word a line.
#[rustfmt::skip]
pub(super) const LANGUAGES: &[SheetWords] = &[
    // Italian.
    SheetWords {
        columns: &[
            (Title, &["titolo", "compito", "attività", "cosa", "nome"]), (Note, &["note", "appunti", "descrizione"]),
            (Category, &["categoria", "elenco", "progetto"]), (Label, &["etichetta", "etichette"]),
            (Done, &["fatto", "completato", "completata"]), (Column::Status, &["stato"]), (Column::Priority, &["priorità"]),
            (Due, &["per quando", "entro", "entro quando", "scadenza"]), (Start, &["inizio"]), (Column::Language, &["lingua"]),
            (Column::Starred, &["preferito"]), (Column::Private, &["privato"]), (Column::KeptInNote, &["chi"]),
        ],
        past: &[
            "acquistato", "acquisto", "aggiunto", "compleanno", "creato", "creazione", "fattura", "inviato", "modificato",
            "nascita", "pagato", "ricevuto",
        ],
        statuses: &[
            (Open, &["da fare", "aperto", "aperta", "nuovo", "nuova", "non iniziato", "non iniziata"]),
            (InProgress, &["in corso", "in lavorazione", "iniziato"]), (Blocked, &["bloccato", "bloccata"]),
            (OnHold, &["in attesa", "sospeso", "sospesa", "in pausa"]),
            (Status::Done, &["fatto", "fatta", "completato", "completata", "finito", "finita", "chiuso", "chiusa", "terminata"]),
            (Rejected, &["annullato", "annullata", "rifiutato", "rifiutata"]),
        ],
        priorities: &[(P3, &["bassa"])],
        actions: &["da fare", "cose da fare", "compiti"],
        yes: &["sì", "vero"],
        ..NONE
    },
    // Portuguese.
    SheetWords {
        columns: &[
            (Title, &["tarefa", "nome"]), (Done, &["concluído", "concluída", "feito", "feita"]),
            (Column::Status, &["situação"]), (Column::Priority, &["prioridade"]),
            (Due, &["prazo", "data limite", "data de vencimento", "vencimento", "até"]),
            (Start, &["início", "data de início"]), (Category, &["projeto", "projecto"]),
            (Note, &["descrição", "observações", "anotações"]), (Items, &["subtarefas"]),
        ],
        statuses: &[
            (Open, &["a fazer", "por fazer", "aberto", "aberta", "não iniciado", "não iniciada", "novo", "nova"]),
            (InProgress, &["em andamento", "em progresso", "em curso", "fazendo", "em execução"]),
            (Blocked, &["bloqueada"]), (OnHold, &["em espera", "aguardando", "pausado", "pausada", "adiado"]),
            (Status::Done, &["concluído", "concluída", "concluido", "feito", "feita", "finalizado", "finalizada",
                "pronto", "encerrado", "fechado"]),
            (Rejected, &["cancelada", "rejeitado", "rejeitada", "descartada"]),
        ],
        priorities: &[(P1, &["importante"]), (P2, &["média"]), (P3, &["baixa"])],
        actions: &["a fazer", "por fazer", "tarefas"],
        yes: &["sim", "verdadeiro"],
        no: &["não"],
        ..NONE
    },
    // Dutch.
    SheetWords {
        columns: &[
            (Title, &["taak", "naam", "onderwerp", "wat"]), (Done, &["voltooid", "afgerond", "gedaan"]),
            (Column::Priority, &["prioriteit"]), (Due, &["uiterlijk", "tot wanneer", "vervaldatum", "einddatum", "voor wanneer"]),
            (Start, &["begindatum"]), (Category, &["categorie", "lijst"]), (Label, &["labels"]),
            (Note, &["notitie", "notities", "omschrijving", "beschrijving", "opmerkingen", "opmerking"]),
            (Items, &["subtaken", "deeltaken"]),
        ],
        past: &[
            "aangemaakt", "besteld", "betaald", "factuur", "gekocht", "gewijzigd", "laatste", "sinds", "toegevoegd",
            "verjaardag", "verzonden",
        ],
        statuses: &[
            (Open, &["te doen", "nieuw", "niet gestart", "nog te doen"]),
            (InProgress, &["bezig", "in uitvoering", "mee bezig", "gestart"]),
            (Blocked, &["geblokkeerd"]), (OnHold, &["in de wacht", "wacht", "uitgesteld", "in afwachting"]),
            (Status::Done, &["klaar", "gedaan", "afgerond", "voltooid", "gesloten", "gereed"]),
            (Rejected, &["geannuleerd", "afgewezen", "vervallen"]),
        ],
        priorities: &[(P0, &["dringend", "spoed"]), (P1, &["hoog", "belangrijk"]), (P2, &["gemiddeld"]), (P3, &["laag"])],
        actions: &["te doen", "nog te doen", "taken", "boodschappen"],
        yes: &["waar"],
        no: &["nee", "onwaar"],
        ..NONE
    },
    // Polish.
    SheetWords {
        columns: &[
            (Title, &["zadanie", "tytuł", "nazwa"]), (Done, &["gotowe", "ukończone", "zrobione", "wykonane"]),
            (Column::Priority, &["priorytet"]), (Due, &["termin", "termin wykonania", "do kiedy"]),
            (Start, &["data rozpoczęcia", "początek"]), (Category, &["kategoria", "lista"]), (Label, &["etykieta", "etykiety", "tagi"]),
            (Note, &["opis", "notatka", "notatki", "uwagi", "komentarz"]), (Items, &["podzadania"]),
        ],
        statuses: &[
            (Open, &["do zrobienia", "otwarte", "nowe", "nierozpoczęte", "nie rozpoczęto"]),
            (InProgress, &["w toku", "w trakcie", "w realizacji", "rozpoczęte"]), (Blocked, &["zablokowane"]),
            (OnHold, &["wstrzymane", "oczekuje", "oczekujące", "odłożone"]),
            (Status::Done, &["gotowe", "zrobione", "ukończone", "zakończone", "zamknięte", "wykonane"]),
            (Rejected, &["anulowane", "odrzucone"]),
        ],
        priorities: &[(P0, &["pilne", "pilny", "krytyczny"]), (P1, &["wysoki", "ważne"]), (P2, &["średni"]), (P3, &["niski"])],
        actions: &["do zrobienia", "zadania"],
        yes: &["tak", "prawda"],
        no: &["nie", "fałsz"],
        ..NONE
    },
    // Czech and Slovak.
    SheetWords {
        columns: &[
            (Title, &["úkol", "úloha", "název", "názov"]), (Done, &["hotovo", "splněno", "dokončeno"]),
            (Column::Status, &["stav"]), (Column::Priority, &["priorita"]), (Due, &["termín", "do kdy"]),
            (Category, &["kategorie", "kategória", "seznam"]), (Label, &["štítek", "štítky"]),
            (Note, &["popis", "poznámka", "poznámky"]),
        ],
        days: &["datum", "dátum"],
        statuses: &[
            (Open, &["udělat", "k vyřízení", "otevřeno", "nové", "nezahájeno", "otvorené"]),
            (InProgress, &["probíhá", "rozpracováno", "v řešení", "prebieha"]), (Blocked, &["blokováno"]),
            (OnHold, &["čeká", "odloženo", "pozastaveno"]),
            (Status::Done, &["hotovo", "hotové", "dokončeno", "dokončené", "uzavřeno", "vyřízeno", "splněno"]),
            (Rejected, &["zrušeno", "zamítnuto", "zrušené"]),
        ],
        priorities: &[(P1, &["vysoká"]), (P2, &["střední", "stredná"]), (P3, &["nízká", "nízka"])],
        actions: &["udělat", "k vyřízení", "úkoly", "úlohy"],
        yes: &["ano", "áno"],
        no: &["ne"],
        ..NONE
    },
    // Swedish, Danish and Norwegian.
    SheetWords {
        columns: &[
            (Title, &["uppgift", "opgave", "oppgave", "namn", "navn", "tittel", "rubrik"]),
            (Done, &["klar", "färdig", "slutförd", "færdig", "ferdig", "fullført", "udført"]),
            (Column::Priority, &["prioritet"]),
            (Due, &["förfallodatum", "senast", "forfaldsdato", "forfallsdato", "forfald", "slutdatum"]),
            (Category, &["kategori", "prosjekt"]), (Label, &["etiketter", "taggar"]),
            (Note, &["anteckning", "anteckningar", "beskrivning", "beskrivelse", "notat", "noter", "notater"]),
        ],
        days: &["datum", "dato"],
        statuses: &[
            (Open, &["att göra", "ny", "nytt", "öppen", "åpen", "åben", "ej påbörjad", "inte påbörjad", "ikke startet",
                "ikke påbegyndt", "ikke påbegynt", "å gjøre", "at gøre"]),
            (InProgress, &["pågår", "pågående", "påbörjad", "i gang", "igangværende", "under arbeid", "påbegyndt"]),
            (Blocked, &["blockerad", "blokeret", "blokkert"]),
            (OnHold, &["väntar", "venter", "afventer", "pausad", "på vent", "utsatt"]),
            (Status::Done, &["klar", "färdig", "slutförd", "avslutad", "stängd", "færdig", "udført", "afsluttet",
                "ferdig", "fullført", "utført", "avsluttet", "lukket", "löst"]),
            (Rejected, &["avbruten", "avvisad", "inställd", "annulleret", "afvist", "avbrutt", "avvist", "kansellert"]),
        ],
        priorities: &[(P0, &["brådskande", "haster"]), (P1, &["hög", "høj", "høy", "viktig", "vigtig"]), (P2, &["medel", "middel"]),
            (P3, &["låg", "lav"])],
        actions: &["att göra", "at gøre", "å gjøre", "uppgifter", "opgaver", "oppgaver"],
        yes: &["sant"],
        no: &["nej", "nei", "falskt", "usann"],
        ..NONE
    },
    // Finnish.
    SheetWords {
        columns: &[
            (Title, &["tehtävä", "nimi", "otsikko"]), (Done, &["valmis", "tehty"]), (Column::Status, &["tila"]),
            (Column::Priority, &["prioriteetti", "tärkeys"]), (Due, &["määräaika", "eräpäivä", "deadline"]),
            (Category, &["luokka", "projekti", "lista"]), (Label, &["tunnisteet"]), (Note, &["kuvaus", "muistiinpanot", "huomautukset"]),
        ],
        days: &["päivämäärä", "pvm"],
        statuses: &[
            (Open, &["avoin", "uusi", "aloittamatta", "ei aloitettu", "tekemättä"]),
            (InProgress, &["kesken", "käynnissä", "työn alla", "aloitettu"]), (Blocked, &["estetty"]), (OnHold, &["odottaa", "keskeytetty"]),
            (Status::Done, &["valmis", "tehty", "suljettu", "päättynyt"]), (Rejected, &["peruttu", "hylätty"]),
        ],
        priorities: &[(P0, &["kiireellinen"]), (P1, &["korkea", "tärkeä"]), (P2, &["keskitaso", "normaali"]), (P3, &["matala"])],
        actions: &["tehtävät", "tekemättä"],
        yes: &["kyllä", "tosi"],
        no: &["ei", "epätosi"],
        ..NONE
    },
    // Hungarian.
    SheetWords {
        columns: &[
            (Title, &["feladat", "cím", "megnevezés"]), (Done, &["kész"]), (Column::Status, &["állapot", "státusz"]),
            (Column::Priority, &["prioritás"]), (Due, &["határidő"]), (Category, &["kategória"]), (Label, &["címke", "címkék"]),
            (Note, &["leírás", "megjegyzés", "jegyzet"]),
        ],
        days: &["dátum"],
        statuses: &[
            (Open, &["nyitott", "új", "teendő", "nem kezdődött el"]), (InProgress, &["folyamatban"]), (OnHold, &["várakozik", "felfüggesztve"]),
            (Status::Done, &["kész", "befejezve", "befejezett", "elvégezve", "lezárva"]), (Rejected, &["törölve", "elutasítva"]),
        ],
        priorities: &[(P0, &["sürgős"]), (P1, &["magas", "fontos"]), (P2, &["közepes"]), (P3, &["alacsony"])],
        actions: &["teendők", "teendő", "feladatok"],
        yes: &["igen", "igaz"],
        no: &["nem", "hamis"],
        ..NONE
    },
    // Turkish.
    SheetWords {
        columns: &[
            (Title, &["görev", "başlık"]), (Done, &["tamamlandı", "yapıldı"]), (Column::Status, &["durum"]),
            (Column::Priority, &["öncelik"]), (Due, &["son tarih", "bitiş tarihi", "teslim tarihi"]), (Start, &["başlangıç tarihi"]),
            (Category, &["kategori", "proje"]), (Label, &["etiket", "etiketler"]), (Note, &["açıklama", "notlar"]),
        ],
        days: &["tarih"],
        statuses: &[
            (Open, &["yapılacak", "açık", "yeni", "başlamadı", "başlanmadı"]), (InProgress, &["devam ediyor", "yapılıyor", "sürüyor"]),
            (Blocked, &["engellendi"]), (OnHold, &["beklemede", "bekliyor", "ertelendi"]),
            (Status::Done, &["tamamlandı", "bitti", "yapıldı", "kapalı", "kapatıldı"]), (Rejected, &["iptal edildi", "iptal", "reddedildi"]),
        ],
        priorities: &[(P0, &["acil"]), (P1, &["yüksek", "önemli"]), (P2, &["orta"]), (P3, &["düşük"])],
        actions: &["yapılacak", "yapılacaklar", "görevler"],
        yes: &["evet", "doğru"],
        no: &["hayır", "yanlış"],
        ..NONE
    },
    // Russian, Ukrainian and Bulgarian.
    SheetWords {
        columns: &[
            (Title, &["задача", "название", "заголовок", "завдання", "назва", "задание", "дело"]),
            (Done, &["готово", "выполнено", "сделано", "виконано"]), (Column::Status, &["статус", "состояние", "стан"]),
            (Column::Priority, &["приоритет", "пріоритет", "важность"]),
            (Due, &["срок", "срок выполнения", "дедлайн", "термін", "крайний срок", "до"]), (Start, &["начало", "дата начала", "початок"]),
            (Category, &["категория", "категорія", "проект", "проєкт", "список"]), (Label, &["метка", "метки", "тег", "теги", "мітки"]),
            (Note, &["описание", "опис", "заметки", "заметка", "примечание", "комментарий", "примітки", "нотатки"]),
            (Items, &["подзадачи", "підзавдання"]),
        ],
        days: &["дата"],
        statuses: &[
            (Open, &["новая", "новый", "новое", "открыта", "открыто", "открыт", "сделать", "нужно сделать", "к выполнению", "не начато",
                "не начата", "відкрито", "відкрита", "нове", "нова", "до виконання", "не розпочато", "зробити"]),
            (InProgress, &["в работе", "в процессе", "выполняется", "начато", "в роботі", "в процесі", "виконується"]),
            (Blocked, &["заблокировано", "заблокирована", "заблоковано"]),
            (OnHold, &["отложено", "отложена", "ожидание", "в ожидании", "ожидает", "на паузе", "відкладено", "очікує"]),
            (Status::Done, &["готово", "готова", "сделано", "сделана", "выполнено", "выполнена", "завершено", "завершена", "закрыто",
                "закрыта", "зроблено", "виконано", "закрито", "завършено"]),
            (Rejected, &["отменено", "отменена", "отклонено", "отклонена", "скасовано", "відхилено"]),
        ],
        priorities: &[(P0, &["срочно", "срочный", "критический", "терміново"]), (P1, &["высокий", "важно", "високий"]),
            (P2, &["средний", "обычный", "середній"]), (P3, &["низкий", "низький"])],
        actions: &["сделать", "нужно сделать", "список дел", "задачи", "до виконання", "зробити", "завдання"],
        yes: &["да", "так", "истина"],
        no: &["нет", "ні", "ложь"],
        ..NONE
    },
    // Greek.
    SheetWords {
        columns: &[
            (Title, &["εργασία", "τίτλος"]), (Column::Status, &["κατάσταση"]), (Column::Priority, &["προτεραιότητα"]),
            (Due, &["προθεσμία"]), (Category, &["κατηγορία"]), (Note, &["περιγραφή", "σημειώσεις"]),
        ],
        days: &["ημερομηνία"],
        statuses: &[
            (Open, &["ανοιχτό", "νέο", "εκκρεμεί"]), (InProgress, &["σε εξέλιξη"]), (OnHold, &["σε αναμονή"]),
            (Status::Done, &["ολοκληρώθηκε", "έγινε", "ολοκληρωμένο"]), (Rejected, &["ακυρώθηκε", "απορρίφθηκε"]),
        ],
        priorities: &[(P1, &["υψηλή"]), (P2, &["μεσαία"]), (P3, &["χαμηλή"])],
        actions: &["προς υλοποίηση", "εργασίες"],
        yes: &["ναι"],
        no: &["όχι"],
        ..NONE
    },
    // Arabic.
    SheetWords {
        columns: &[
            (Title, &["المهمة", "العنوان", "مهمة"]), (Column::Status, &["الحالة"]), (Column::Priority, &["الأولوية"]),
            (Due, &["تاريخ الاستحقاق", "الموعد النهائي"]), (Category, &["الفئة", "المشروع"]), (Note, &["الوصف", "ملاحظات"]),
        ],
        days: &["التاريخ"],
        statuses: &[
            (Open, &["مفتوح", "جديد", "للتنفيذ", "لم يبدأ"]), (InProgress, &["قيد التنفيذ", "جاري", "جارٍ"]), (OnHold, &["معلق", "قيد الانتظار"]),
            (Status::Done, &["مكتمل", "مكتملة", "منجز", "تم", "مغلق"]), (Rejected, &["ملغى", "ملغي", "مرفوض"]),
        ],
        priorities: &[(P0, &["عاجل"]), (P1, &["عالية", "عالي"]), (P2, &["متوسطة", "متوسط"]), (P3, &["منخفضة", "منخفض"])],
        actions: &["للتنفيذ", "المهام"],
        yes: &["نعم"],
        no: &["لا"],
        ..NONE
    },
    // Hebrew.
    SheetWords {
        columns: &[
            (Title, &["משימה", "כותרת"]), (Column::Status, &["סטטוס", "מצב"]), (Column::Priority, &["עדיפות"]),
            (Due, &["תאריך יעד"]), (Category, &["קטגוריה", "פרויקט"]), (Note, &["תיאור", "הערות"]),
        ],
        days: &["תאריך"],
        statuses: &[
            (Open, &["פתוח", "חדש", "לביצוע"]), (InProgress, &["בתהליך", "בביצוע"]), (OnHold, &["בהמתנה", "ממתין"]),
            (Status::Done, &["הושלם", "בוצע", "סגור"]), (Rejected, &["בוטל", "נדחה"]),
        ],
        priorities: &[(P0, &["דחוף"]), (P1, &["גבוהה"]), (P2, &["בינונית"]), (P3, &["נמוכה"])],
        actions: &["לביצוע", "משימות"],
        yes: &["כן"],
        no: &["לא"],
        ..NONE
    },
    // Japanese.
    SheetWords {
        columns: &[
            (Title, &["タスク", "タイトル", "件名", "題名", "名前"]), (Done, &["完了日"]), (Column::Status, &["ステータス", "状態", "状況", "進捗"]),
            (Column::Priority, &["優先度"]), (Due, &["期限", "期日", "締切", "締め切り", "終了日"]), (Start, &["開始日"]),
            (Category, &["カテゴリ", "カテゴリー", "プロジェクト", "リスト"]), (Label, &["ラベル", "タグ"]), (Note, &["説明", "メモ", "備考", "詳細"]),
            (Items, &["サブタスク"]),
        ],
        days: &["日付"],
        statuses: &[
            (Open, &["未着手", "未完了", "未対応", "新規", "やること", "オープン"]), (InProgress, &["進行中", "作業中", "対応中", "着手中", "処理中"]),
            (Blocked, &["ブロック"]), (OnHold, &["保留", "保留中", "待ち", "待機中"]),
            (Status::Done, &["完了", "完了済み", "対応済み", "処理済み", "済み", "済", "終了"]), (Rejected, &["キャンセル", "却下", "中止"]),
        ],
        priorities: &[(P0, &["緊急"]), (P1, &["高", "高い"]), (P2, &["中"]), (P3, &["低", "低い"])],
        actions: &["やること", "やることリスト", "未着手"],
        yes: &["はい"],
        no: &["いいえ"],
        ..NONE
    },
    // Chinese, simplified and traditional.
    SheetWords {
        columns: &[
            (Title, &["任务", "任務", "标题", "標題", "名称", "名稱", "事项"]), (Done, &["完成时间", "完成時間", "完成日期"]),
            (Column::Status, &["状态", "狀態"]), (Column::Priority, &["优先级", "優先級", "優先順序"]),
            (Due, &["截止日期", "截止时间", "截止時間", "到期日", "期限"]), (Start, &["开始日期", "開始日期"]),
            (Category, &["分类", "分類", "项目", "項目", "专案", "專案", "清单", "清單"]), (Label, &["标签", "標籤"]),
            (Note, &["描述", "备注", "備註", "说明", "說明"]), (Items, &["子任务", "子任務"]),
        ],
        days: &["日期"],
        statuses: &[
            (Open, &["待办", "待辦", "未开始", "未開始", "未完成", "待处理", "待處理", "新建"]), (InProgress, &["进行中", "進行中", "处理中", "處理中"]),
            (Blocked, &["已阻塞", "受阻"]), (OnHold, &["暂停", "暫停", "已搁置", "已擱置", "等待中", "挂起"]),
            (Status::Done, &["完成", "已完成", "已关闭", "已關閉", "已解决", "已解決"]), (Rejected, &["已取消", "取消", "已拒绝", "已拒絕"]),
        ],
        priorities: &[(P0, &["紧急", "緊急"]), (P1, &["高"]), (P2, &["中"]), (P3, &["低"])],
        actions: &["待办", "待辦", "待办事项", "待辦事項"],
        yes: &["是"],
        no: &["否"],
        ..NONE
    },
    // Korean.
    SheetWords {
        columns: &[
            (Title, &["작업", "제목", "할 일", "이름"]), (Done, &["완료일"]), (Column::Status, &["상태"]), (Column::Priority, &["우선순위"]),
            (Due, &["마감일", "기한"]), (Start, &["시작일"]), (Category, &["카테고리", "프로젝트", "목록"]), (Label, &["라벨", "태그"]),
            (Note, &["설명", "메모", "비고"]),
        ],
        days: &["날짜"],
        statuses: &[
            (Open, &["할 일", "시작 전", "미완료", "신규"]), (InProgress, &["진행 중", "진행중", "작업 중"]), (Blocked, &["차단됨"]),
            (OnHold, &["보류", "대기", "대기 중"]), (Status::Done, &["완료", "완료됨", "종료"]), (Rejected, &["취소", "취소됨", "거절됨"]),
        ],
        priorities: &[(P0, &["긴급"]), (P1, &["높음"]), (P2, &["보통", "중간"]), (P3, &["낮음"])],
        actions: &["할 일"],
        yes: &["예", "네"],
        no: &["아니요", "아니오"],
        ..NONE
    },
];
