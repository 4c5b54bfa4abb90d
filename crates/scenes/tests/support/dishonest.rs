//! A store that tells the program something else than what is written in it, to see that a scene
//! notices when a safeguard is missing.

use std::sync::Arc;

use dormouse_store::{Backend, Db, ReadError, Row, Value};
use dormouse_types::port::BoxFuture;
use dormouse_world::Layer;

/// What the program does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lie {
    /// Whether tasks and entries are private: the gate lets everything through.
    Gate,
    /// What the requests of runs were made of: what a model wrote is tainted by nothing.
    Taint,
}

/// A layer that lies.
pub struct Dishonest {
    pub engine: Arc<dyn Backend>,
    pub lie: Lie,
}

impl Dishonest {
    fn tell(&self, sql: &str, rows: &mut [Row]) {
        let (part, columns, text) = match self.lie {
            Lie::Gate => ("SELECT e.id, e.serialized, t.serialized FROM journal e", 1..3, "{}"),
            Lie::Taint => ("SELECT q.run_key, r.agent_id, q.spans, q.sources", 2..5, "[]"),
        };
        if !sql.contains(part) {
            return;
        }
        for Row(values) in rows {
            values[columns.clone()].fill(Value::Text(text.to_owned()));
        }
    }
}

impl Layer for Dishonest {
    fn below(&self) -> &dyn Backend {
        &*self.engine
    }

    fn read<'a>(
        &'a self,
        db: Db,
        sql: &'static str,
        params: Vec<Value>,
    ) -> BoxFuture<'a, Result<Vec<Row>, ReadError>> {
        Box::pin(async move {
            let mut rows = self.engine.read(db, sql, params).await?;
            self.tell(sql, &mut rows);
            Ok(rows)
        })
    }
}
