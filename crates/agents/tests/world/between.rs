//! A layer that can run something between two reads.

use std::sync::{Arc, Mutex, PoisonError};

use dormouse_store::{Backend, Db, ReadError, Row, Value};
use dormouse_types::port::BoxFuture;
use dormouse_world::Layer;

type Happening = Box<dyn FnMut() + Send>;

/// Runs something after each read of a statement, until it is cleared.
pub struct Between {
    engine: Arc<dyn Backend>,
    after: Mutex<Option<(&'static str, Happening)>>,
}

impl Between {
    pub fn over(engine: Arc<dyn Backend>) -> Self {
        Self { engine, after: Mutex::default() }
    }

    /// From now on runs this after each read whose statement contains a text.
    pub fn after(&self, part: &'static str, happening: impl FnMut() + Send + 'static) {
        *self.after.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((part, Box::new(happening)));
    }

    fn happen(&self, sql: &str) {
        // Taken out meanwhile, because it may itself read through this engine.
        let taken = self.after.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((part, mut happening)) = taken {
            if sql.contains(part) {
                happening();
            }
            let mut after = self.after.lock().unwrap_or_else(PoisonError::into_inner);
            after.get_or_insert((part, happening));
        }
    }
}

impl Layer for Between {
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
            let rows = self.engine.read(db, sql, params).await?;
            self.happen(sql);
            Ok(rows)
        })
    }
}
