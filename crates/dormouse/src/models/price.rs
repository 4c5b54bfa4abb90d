//! What a model costs, as a person says it or the price table has it.

use dormouse_types::audit::AuditAction;
use dormouse_types::model_settings::ModelSettings;
use dormouse_types::spend::Price;
use dormouse_types::{Caller, Scope};

use super::{ModelsView, PriceSource};
use crate::request::require;
use crate::{Dormouse, Error};

/// Units: micro-dollars per million tokens. A price above it is a mistake.
const LARGEST_PRICE: u64 = 10_000_000_000;

impl Dormouse {
    /// Sets what a model costs, which goes before the price table; `None` means the table again.
    ///
    /// Errors: there is no such provider; its server is the person's own, so that it costs nothing; a
    /// price that must be a mistake.
    pub async fn set_model_price(
        &self,
        caller: &Caller,
        id: &str,
        price: Option<Price>,
    ) -> Result<ModelsView, Error> {
        require(caller, Scope::Admin)?;
        if let Some(Price { input, cached_input, cache_write, output }) = price {
            for (field, value) in [
                ("input", input),
                ("cachedInput", cached_input),
                ("cacheWrite", cache_write),
                ("output", output),
            ] {
                if value > LARGEST_PRICE {
                    let message = format!("{value} is not possible: give 0 to {LARGEST_PRICE}");
                    return Err(Error::Invalid { field, message });
                }
            }
        }
        let today = self.clock.now().day_in(&self.zone.get());
        self.edit_models(caller, AuditAction::ModelsPrice, id, |settings| {
            let (provider, _) = self.provider_of(settings, id)?;
            if provider.is_own {
                let message = format!("{id} is on a server of your own and costs nothing");
                return Err(Error::Invalid { field: "model", message });
            }
            self.know(settings, id)?;
            for known in settings.models.iter_mut().filter(|known| known.id == id) {
                known.price = price;
                known.priced_on = price.map(|_| today);
            }
            Ok(())
        })
        .await
    }

    /// Where the price of a model comes from.
    pub(super) fn price_source(&self, settings: &ModelSettings, id: &str) -> Option<PriceSource> {
        let (provider, name) = self.provider_of(settings, id).ok()?;
        if provider.is_own {
            return None;
        }
        if let Some(known) = settings.known(id).filter(|known| known.price.is_some()) {
            let on = known.priced_on.map(|on| on.to_string());
            return Some(PriceSource { is_set_by_you: true, on, source: None });
        }
        let listed = self.source.host.price(&provider, name)?;
        let (on, source) = (Some(listed.on), Some(listed.source));
        Some(PriceSource { is_set_by_you: false, on, source })
    }
}
