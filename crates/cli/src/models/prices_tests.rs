use super::*;
use crate::models::known;

const HEAD: &str = "provider,model,input,cachedInput,cacheWrite,output,date,source";

fn table(rows: &str) -> PriceTable {
    let own = PriceTable(Vec::new()).with("prices.csv", &format!("{HEAD}\n{rows}\n"));
    own.expect("a table")
}

fn error(text: &str) -> String {
    match PriceTable(Vec::new()).with("prices.csv", text) {
        Ok(table) => panic!("{text:?} is read as {table:?}"),
        Err(error) => error.to_string(),
    }
}

fn input(table: &PriceTable, name: &str, known: Option<&str>, model: &str) -> Option<u64> {
    table.price(name, known, model).map(|listed| listed.price.input)
}

#[test]
fn the_built_in_table_is_of_known_providers_and_plausible() -> anyhow::Result<()> {
    let table = PriceTable::built_in()?;
    assert!(!table.0.is_empty());
    for row in &table.0 {
        assert!(known::by_name(&row.provider).is_some(), "{row:?}");
        let Price { input, cached_input, cache_write, output } = row.price.price;
        assert!(cached_input <= input && input <= cache_write && input <= output, "{row:?}");
    }
    assert_eq!(
        table
            .price("work", Some("anthropic"), "claude-haiku-4-5-20251001")
            .map(|listed| listed.price),
        Some(Price {
            input: 1_000_000,
            cached_input: 100_000,
            cache_write: 1_250_000,
            output: 5_000_000
        })
    );
    assert_eq!(table.price("openrouter", Some("openrouter"), "openai/gpt-5"), None);
    assert_eq!(table.price("anthropic", None, "claude-haiku-4-5"), None, "at another address");
    Ok(())
}

#[test]
fn an_exact_row_goes_before_a_prefix_and_a_long_prefix_before_a_short_one() {
    let table = table(
        "acme,*,1,,,1,2026-11-01,s\nacme,big-*,2,,,2,2026-11-01,s\nacme,big-one,3,,,3,2026-11-01,s",
    );
    for (model, dollars) in [("small", 1), ("big-two", 2), ("big-one", 3), ("big-one-2", 2)] {
        assert_eq!(input(&table, "acme", None, model), Some(dollars * 1_000_000), "{model}");
    }
    assert_eq!(input(&table, "other", None, "small"), None);
}

#[test]
fn an_empty_price_for_a_cache_is_that_of_the_input() {
    let price = table("acme,a,0.15,,0.2,1,2026-11-01,s").price("acme", None, "a").cloned();
    let (price, place) = price.map(|it| (it.price, (it.on, it.source))).unzip();
    assert_eq!(place, Some(("2026-11-01".to_owned(), "s".to_owned())));
    let expected =
        Price { input: 150_000, cached_input: 150_000, cache_write: 200_000, output: 1_000_000 };
    assert_eq!(price, Some(expected));
}

#[test]
fn a_persons_row_replaces_that_of_the_program() -> anyhow::Result<()> {
    let text = format!(
        "\u{feff}{HEAD}\r\n# my contract\r\nopenai,gpt-5-mini,9,,,9,2026-11-01,invoice\r\n"
    );
    let table = PriceTable::built_in()?.with("prices.csv", &text)?;
    assert_eq!(input(&table, "openai", Some("openai"), "gpt-5-mini"), Some(9_000_000));
    assert_eq!(input(&table, "openai", None, "gpt-5-mini"), Some(9_000_000), "at any address");
    assert_eq!(input(&table, "openai", Some("openai"), "gpt-5-nano"), Some(50_000));
    Ok(())
}

#[test]
fn a_typo_is_named_by_file_line_and_column() {
    let line = |row: &str| error(&format!("{HEAD}\nacme,a,1,,,1,2026-11-01,s\n{row}\n"));
    for (row, expected) in [
        ("acme,b,3.oo,,,1,2026-11-01,s", "column input: \"3.oo\" is not a price in dollars"),
        ("acme,b,-1,,,1,2026-11-01,s", "column input: \"-1\" is not a price"),
        ("acme,b,1e3,,,1,2026-11-01,s", "column input: \"1e3\" is not a price"),
        ("acme,b,,,,1,2026-11-01,s", "column input: \"\" is empty"),
        ("acme,b,1,,.5,1,2026-11-01,s", "column cacheWrite: \".5\" is not a price"),
        ("acme,b,1,,,0.0000001,2026-11-01,s", "column output: \"0.0000001\" has more than six"),
        ("acme,b,1,,,99999999999999999999,2026-11-01,s", "is more than 10000 dollars"),
        ("acme,b*c,1,,,1,2026-11-01,s", "column model: \"b*c\" has a `*`"),
        (",b,1,,,1,2026-11-01,s", "column provider: \"\" is empty"),
        ("acme,b,1,,,1,2026-13-01,s", "column date: \"2026-13-01\" is not a date"),
        ("acme,b,1,,,1,2026-11-01,", "column source: \"\" is empty"),
    ] {
        let error = line(row);
        assert!(error.starts_with("prices.csv, line 3, ") && error.contains(expected), "{error}");
    }
    assert_eq!(line("acme,b,1"), "prices.csv, line 3: it has 3 values instead of 8");
    assert!(line("acme,a,2,,,2,2026-11-01,s").starts_with("prices.csv, line 3: there is a line"));
    for wrong in ["", "provider;model", "provider,model,input"] {
        assert!(error(wrong).starts_with("prices.csv, line 1: the columns must be provider,"));
    }
}
