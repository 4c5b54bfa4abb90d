//! The templates that come with the program: what the built-in model makes of each for one task.

use std::sync::Arc;

use dormouse::tasks::{ItemPatch, NewEntry, NewTask};
use dormouse::{AgentPatch, Caller, DrainScope, WORKSPACE};
use dormouse_builtin::Builtin;
use dormouse_scenes::world::{START, services};
use dormouse_types::directive::DirectiveSetting;
use dormouse_types::template::TemplateKind;
use dormouse_world::Rooms;

const NOTES: [&str; 3] = [
    "We agreed to build the fence from larch, because oak costs twice as much. I dug all the holes.",
    "The posts arrived on Monday. It turned out that the slope needs longer posts at the gate. Does the \
     neighbour want a gate on his side? We chose concrete since the ground is wet.",
    "I painted the first panel. It will take about 6 hours. Learned that larch splits without a pilot hole. \
     Who returns the auger?",
];

const ITEMS: [&str; 23] = [
    "Order the panels",
    "Buy concrete",
    "Set the posts",
    "Hang the gate",
    "Oil the wood",
    "Level the ground",
    "Return the auger",
    "Pay the carpenter",
    "Water the hedge",
    "Fix the latch",
    "Remove the old wire",
    "Call the neighbour",
    "Sweep the path",
    "Sharpen the saw",
    "Rent a van",
    "Measure the corner",
    "Plant ivy",
    "Paint the number",
    "Mount the letter box",
    "Sort the screws",
    "Check the drains",
    "Stack the firewood",
    "Burn the brushwood",
];

/// What a reader notices about a report.
#[derive(Debug, PartialEq, Eq)]
struct Character {
    /// The names of the sections, in order.
    order: Vec<String>,
    n_lines: usize,
    /// The beginning of the summary.
    tone: String,
    has_emojis: bool,
}

impl Character {
    fn of(tldr: &str, content: &str) -> Self {
        let plain = |text: &str| -> String {
            let text: String = text.chars().filter(|c| c.is_ascii()).collect();
            text.trim().to_owned()
        };
        let heads = content.lines().filter_map(|line| line.strip_prefix("## "));
        Self {
            order: heads.map(plain).collect(),
            n_lines: content.lines().filter(|line| line.starts_with("- ")).count(),
            tone: plain(tldr).chars().take(20).collect(),
            has_emojis: tldr.chars().chain(content.chars()).any(|c| c as u32 > 0x2600),
        }
    }

    /// In how many of order, length, tone and emojis two differ.
    fn n_differences(&self, other: &Self) -> usize {
        usize::from(self.order != other.order)
            + usize::from(self.n_lines != other.n_lines)
            + usize::from(self.tone != other.tone)
            + usize::from(self.has_emojis != other.has_emojis)
    }
}

#[tokio::test]
async fn any_two_stock_templates_differ_in_two_ways_in_the_report_of_one_task() -> anyhow::Result<()>
{
    let rooms = Rooms::at(START).model(Arc::new(Builtin)).build();
    let dormouse = services(&rooms, "process").with_directive_rules(Arc::new(Builtin));
    dormouse.seed_templates().await?;
    let me = Caller::owner(WORKSPACE);
    let items = ITEMS.map(str::to_owned).to_vec();
    let new = NewTask { title: "Fence".into(), items, ..NewTask::default() };
    let task = dormouse.create_task(&me, new, None).await?;
    for text in NOTES {
        let note = NewEntry { text: text.into(), ..NewEntry::default() };
        dormouse.add_entry(&me, &task.id, note, None).await?;
    }
    let tick = ItemPatch { is_checked: Some(true), ..ItemPatch::default() };
    dormouse.edit_item(&me, &task.id, &task.items[1].id, tick, None).await?;
    let agent = dormouse.create_agent(&me, &task.id, None, None).await?.id;
    let mut characters: Vec<(String, Character)> = Vec::new();
    let templates = dormouse.templates(&me).await?.items;
    for template in templates.into_iter().filter(|it| it.kind == TemplateKind::TaskAgent) {
        let version = dormouse.template(&me, &template.id).await?.version.expect("an active one");
        let settings = version.understood.expect("rules").settings;
        let is_default = template.display_name == "Calm";
        assert_eq!(settings.is_empty(), is_default, "{}: {settings:?}", template.display_name);
        let patch =
            AgentPatch { template: Some(Some(template.id.clone())), ..AgentPatch::default() };
        dormouse.edit_agent(&me, &agent, patch, None).await?;
        dormouse.reanalyse_agent(&me, &agent, None).await?;
        let scope = DrainScope { tasks: vec![task.id.clone()], ..DrainScope::default() };
        dormouse.drain(scope, &mut |_| {}).await?;
        rooms.later(60);
        let report = dormouse.report(&me, &agent).await?.expect("a report");
        let tldr = report.tldr.unwrap_or_default();
        characters.push((
            template.display_name,
            Character::of(&tldr, report.content.as_str().unwrap_or_default()),
        ));
    }
    assert!(characters.len() >= 4, "{characters:#?}");
    for (n, (name, one)) in characters.iter().enumerate() {
        for (other_name, other) in &characters[..n] {
            let differences = one.n_differences(other);
            assert!(differences >= 2, "{name} {one:#?} and {other_name} {other:#?}");
        }
    }
    Ok(())
}

/// The texts of the default are written for language models: the rules do not change by them.
#[tokio::test]
async fn the_default_template_has_no_setting_that_changes_reports() -> anyhow::Result<()> {
    let calm = dormouse_agents::template::stock::DEFAULT;
    let directives = dormouse_types::model::Directives {
        general: calm.general.into(),
        report: calm.report.into(),
    };
    let understood = dormouse_builtin::directive::read(&directives);
    assert_eq!(understood.settings, [] as [DirectiveSetting; 0]);
    Ok(())
}
